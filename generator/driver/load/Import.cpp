#include "driver/load/Import.h"

#include "driver/load/DefaultTargets.h"
#include "driver/load/ModelSpec.h"
#include "ingress/mlir/Import.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/WriteSpec.h"
#include "ops/Registry.h"
#include "support/Sha256.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#ifdef KGEN_HAS_ONNX
#include "ingress/onnx/Import.h"
#endif

namespace kgen {

static constexpr llvm::StringLiteral weightsExtension = ".safetensors";
static constexpr size_t weightsHashDigits = 8;

std::string weightsName(const std::string &library, llvm::StringRef bytes) {
  return library + "." + sha256(bytes).substr(0, weightsHashDigits) + weightsExtension.str();
}

bool isWeightsName(llvm::StringRef name, const std::string &library) {
  return name.consume_front(library) && name.consume_front(".") &&
         name.consume_back(weightsExtension) && name.size() == weightsHashDigits &&
         llvm::all_of(name, llvm::isHexDigit);
}

#ifdef KGEN_HAS_ONNX

static ImportedSpec describe(const Graph &graph, const std::string &library) {
  ImportedSpec result;
  result.library = library;
  result.nodes = graph.nodes.size();
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::weight)
      result.weightBytes += value.type.byteCount();
  auto text = [&](ValueId id) { return graph.values[id].name + " " + graph.values[id].type.str(); };
  const size_t states = graph.states.size();
  for (ValueId id : llvm::ArrayRef(graph.inputs).drop_back(states))
    result.inputs.push_back(text(id));
  for (ValueId id : llvm::ArrayRef(graph.inputs).take_back(states))
    result.states.push_back(text(id));
  for (ValueId id : llvm::ArrayRef(graph.outputs).drop_back(states))
    result.outputs.push_back(text(id));
  return result;
}

/// Returns what each value is called in the model.
static std::vector<std::string> modelNames(const onnx::ImportedModel &model) {
  std::vector<std::string> names;
  for (const GraphValue &value : model.graph.values) {
    auto original = model.originalNames.find(value.name);
    names.push_back(original == model.originalNames.end() ? value.name : original->second);
  }
  return names;
}

/// Names of the model by those of inputs and results in the graph, where they differ.
static std::map<std::string, std::string> differentNames(const Graph &graph,
                                                         const std::vector<std::string> &original) {
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (const GraphValue &value = graph.values[i];
        value.kind != ValueKind::weight && value.name != original[i])
      names[value.name] = original[i];
  return names;
}

/// The targets as a spec has them, with why those are there that not every library has.
static WrittenSpec::Targets writtenTargets(const std::vector<DefaultTarget> &targets) {
  WrittenSpec::Targets written;
  std::vector<DefaultTarget> special;
  for (const DefaultTarget &target : targets) {
    written.names.push_back(target.name);
    if (!target.reason.empty())
      special.push_back(target);
  }
  written.comments = describe(special);
  return written;
}

std::optional<ImportedSpec> importSpec(const ImportRequest &request, Diagnostics &diagnostics) {
  MlirFiles files; // none: it is an ONNX model
  const ModelBindings bindings = withNamedSizes(request.bindings, diagnostics);
  std::optional<LibrarySpec> spec = specOfModel(request.modelPath, bindings, files, diagnostics);
  refuseBindings(request.modelPath, bindings, diagnostics);
  if (!spec || diagnostics.hasErrors())
    return std::nullopt;
  const std::string &library = spec->library.value;
  onnx::ImportOptions options{library, {}, bindings};
  options.settings.name = "run";
  std::optional<onnx::ImportedModel> model =
      onnx::importModel(request.modelPath, options, builtInOperators(), diagnostics);
  if (!model)
    return std::nullopt;
  makeStates(request.states, model->originalNames, request.modelPath, model->graph, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  ImportedSpec result = describe(model->graph, library);
  std::vector<RepeatedBlock> blocks;
  if (request.modules)
    blocks = findRepeatedBlocks(model->graph);
  const std::vector<std::string> original = modelNames(*model);
  nameBlocks(model->graph, blocks);
  for (const RepeatedBlock &block : blocks)
    result.modules.push_back({block.module, block.uses.size()});
  std::vector<DefaultTarget> targets;
  for (const std::string &name : request.targets)
    targets.push_back({name, ""});
  if (targets.empty())
    targets = defaultTargets(model->graph);
  std::string bytes = writeWeights(model->graph, blocks);
  std::string weights = weightsName(library, bytes);
  result.files[library + ".yaml"] =
      writeSpec({library, writtenTargets(targets),
                 "Imported from " + llvm::sys::path::filename(request.modelPath).str() +
                     " by `kgen import`: from now on this is the source.",
                 differentNames(model->graph, original)},
                model->graph, blocks, weights);
  if (!bytes.empty())
    result.files[weights] = std::move(bytes);
  return result;
}

#else

std::optional<ImportedSpec> importSpec(const ImportRequest &request, Diagnostics &diagnostics) {
  diagnostics.error({request.modelPath, 0, 0}, "this kgen was built without ONNX models",
                    "install libprotobuf-dev and protobuf-compiler, and build it again");
  return std::nullopt;
}

#endif

} // namespace kgen
