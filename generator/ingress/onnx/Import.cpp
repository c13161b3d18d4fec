#include "ingress/onnx/Import.h"

#include "ingress/onnx/CutModel.h"
#include "ingress/onnx/Importer.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen::onnx {

/// The types of values of the model as far as they can be found out, in the order of `names`.
static std::map<std::string, TensorType> typesOf(const Model &model, const ImportOptions &options,
                                                 const OperatorTable &operators) {
  std::map<std::string, TensorType> types;
  for (const std::string &name : options.bindings.inputs) {
    Diagnostics unused; // what cannot be imported is said of the part that is
    Model part = model;
    ImportOptions before = options;
    before.bindings.inputs.clear();
    before.bindings.outputs = {name};
    cutModel(part, {}, {name}, unused);
    llvm::erase_if(before.bindings.externs, [&](const ExternChoice &choice) {
      return llvm::none_of(part.proto.graph().node(),
                           [&](const NodeProto &node) { return isCallOf(choice, node); });
    });
    if (auto read = Importer(part, before, operators, unused).run())
      types.emplace(name, read->graph.values[read->graph.outputs.front()].type);
  }
  return types;
}

static std::optional<ImportedModel> importPart(std::unique_ptr<Model> model,
                                               const ImportOptions &options,
                                               const OperatorTable &operators,
                                               Diagnostics &diagnostics) {
  if (!model)
    return std::nullopt;
  const ModelBindings &bindings = options.bindings;
  ImportOptions part = options;
  if (!bindings.inputs.empty())
    part.inputTypes = typesOf(*model, options, operators);
  cutModel(*model, bindings.inputs, bindings.outputs, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return Importer(*model, part, operators, diagnostics).run();
}

std::optional<ImportedModel> importModel(const std::string &path, const ImportOptions &options,
                                         const OperatorTable &operators, Diagnostics &diagnostics) {
  return importPart(readModel(path, diagnostics), options, operators, diagnostics);
}

std::optional<ImportedModel> importModelBytes(llvm::StringRef bytes, const std::string &path,
                                              const ImportOptions &options,
                                              const OperatorTable &operators,
                                              Diagnostics &diagnostics) {
  return importPart(parseModel(bytes, path, diagnostics), options, operators, diagnostics);
}

} // namespace kgen::onnx
