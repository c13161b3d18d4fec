// A model from hostile bytes, and the spec that an accepted one becomes.
#include "ingress/onnx/Import.h"
#include "ingress/yaml/WriteSpec.h"
#include "ops/Registry.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  kgen::Diagnostics diagnostics;
  kgen::onnx::ImportOptions options{"fuzz", {}, {}};
  options.settings.name = "run";
  // Dimensions that seeds have: with sizes for them more is imported.
  for (const char *dim : {"N", "batch", "batch_size", "seq"})
    options.bindings.dims[dim] = 2;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto model = kgen::onnx::importModelBytes(bytes, "fuzz.onnx", options, kgen::builtInOperators(),
                                            diagnostics);
  if (model.has_value() == diagnostics.hasErrors())
    std::abort();
  if (!model)
    return 0;
  if (printGraph(model->graph).empty() ||
      kgen::writeSpec({"fuzz", {}, "fuzz"}, model->graph, "fuzz.safetensors").empty())
    std::abort();
  kgen::writeWeights(model->graph);
  return 0;
}
