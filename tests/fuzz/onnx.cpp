// A model from hostile bytes, and the spec that an accepted one becomes.
#include "ingress/onnx/Import.h"
#include "ingress/onnx/Model.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/WriteSpec.h"
#include "ops/Registry.h"

#include <cstdlib>

/// Every open dimension is `size`: with sizes more is imported.
static kgen::ModelBindings bindingsOf(llvm::StringRef bytes, const kgen::Dim &size) {
  kgen::Diagnostics ignored;
  kgen::ModelBindings bindings;
  std::unique_ptr<kgen::onnx::Model> model = kgen::onnx::parseModel(bytes, "fuzz.onnx", ignored);
  if (!model)
    return bindings;
  for (const auto &input : model->proto.graph().input())
    for (int i = 0; i < input.type().tensor_type().shape().dim_size(); ++i)
      if (!input.type().tensor_type().shape().dim(i).has_dim_value())
        bindings.dims[input.name() + ":" + std::to_string(i)] = size;
  return bindings;
}

static void import(llvm::StringRef bytes, const kgen::ModelBindings &bindings) {
  kgen::Diagnostics diagnostics;
  kgen::onnx::ImportOptions options{"fuzz", {}, bindings};
  options.settings.name = "run";
  auto model = kgen::onnx::importModelBytes(bytes, "fuzz.onnx", options, kgen::builtInOperators(),
                                            diagnostics);
  if (model.has_value() == diagnostics.hasErrors())
    std::abort();
  if (!model)
    return;
  std::vector<kgen::RepeatedBlock> blocks = kgen::findRepeatedBlocks(model->graph);
  kgen::nameBlocks(model->graph, blocks);
  if (printGraph(model->graph).empty() ||
      kgen::writeSpec({"fuzz", {}, "fuzz"}, model->graph, blocks, "fuzz.safetensors").empty())
    std::abort();
  kgen::writeWeights(model->graph, blocks);
}

/// As the command line may ask for it: up to the first node, after it, or with a call in its place.
static void importParts(llvm::StringRef bytes, const kgen::ModelBindings &whole) {
  kgen::Diagnostics ignored;
  std::unique_ptr<kgen::onnx::Model> model = kgen::onnx::parseModel(bytes, "fuzz.onnx", ignored);
  if (!model || model->proto.graph().node().empty())
    return;
  const auto &node = *model->proto.graph().node().begin();
  for (const std::string &output : node.output()) {
    kgen::ModelBindings upTo = whole, after = whole;
    upTo.outputs = {output};
    after.inputs = {output};
    import(bytes, upTo);
    import(bytes, after);
  }
  kgen::ModelBindings called = whole;
  called.externs = {{node.op_type(), "user_function", ""}};
  import(bytes, called);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto open = std::make_shared<const kgen::DimSymbol>(kgen::DimSymbol{"n", 1, 4, 1});
  kgen::ModelBindings fixed = bindingsOf(bytes, 2);
  import(bytes, fixed);
  import(bytes, bindingsOf(bytes, kgen::Dim(open)));
  importParts(bytes, fixed);
  return 0;
}
