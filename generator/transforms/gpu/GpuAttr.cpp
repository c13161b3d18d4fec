#include "transforms/gpu/GpuAttr.h"

#include <mlir/IR/Builders.h>

using namespace mlir;

namespace kgen {
namespace {

Attribute attributeOf(Builder &b, int64_t value) { return b.getI64IntegerAttr(value); }
Attribute attributeOf(Builder &b, double value) { return b.getF64FloatAttr(value); }

bool read(Attribute attr, int64_t &value) {
  auto number = dyn_cast_or_null<IntegerAttr>(attr);
  if (number)
    value = number.getInt();
  return number && value > 0;
}

bool read(Attribute attr, double &value) {
  auto number = dyn_cast_or_null<FloatAttr>(attr);
  if (number)
    value = number.getValueAsDouble();
  return number && value > 0;
}

} // namespace

void setGpu(ModuleOp module, const GpuFacts &facts) {
  Builder b(module.getContext());
  NamedAttrList list;
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING) list.set(#KEY, attributeOf(b, facts.MEMBER));
#include "target/GpuFacts.def"
  module->setAttr(gpuAttrName, list.getDictionary(module.getContext()));
}

std::optional<GpuFacts> gpuOf(ModuleOp module) {
  auto list = module->getAttrOfType<DictionaryAttr>(gpuAttrName);
  if (!list)
    return std::nullopt;
  GpuFacts facts;
#define KGEN_GPU_FACT(KEY, MEMBER, TYPE, MEANING)                                                  \
  if (!read(list.get(#KEY), facts.MEMBER))                                                         \
    return std::nullopt;
#include "target/GpuFacts.def"
  return facts;
}

} // namespace kgen
