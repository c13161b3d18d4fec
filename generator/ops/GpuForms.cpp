#include "ops/GpuForms.h"

namespace kgen {

GpuForm gpuFormOf(const std::string &op) {
  static const struct {
    const char *op;
    GpuForm form;
  } exceptions[] = {
#define KGEN_NO_GPU_FORM(op, why) {op, {GpuForm::Extent::none, why}},
#define KGEN_SOME_GPU_FORMS(op, which) {op, {GpuForm::Extent::some, which}},
#include "ops/GpuForms.def"
#undef KGEN_NO_GPU_FORM
#undef KGEN_SOME_GPU_FORMS
  };
  for (const auto &exception : exceptions)
    if (exception.op == op)
      return exception.form;
  return {};
}

std::string toString(GpuForm::Extent extent) {
  return extent == GpuForm::Extent::all ? "yes" : extent == GpuForm::Extent::some ? "some" : "no";
}

} // namespace kgen
