// kgen verify --all-nodes: the graph is compiled once more with the results of all nodes as
// outputs.
#include "driver/verify/VerifyRun.h"

#include "driver/run/RunnableVariants.h"
#include "driver/verify/ResultCheck.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// A model's graph with all results of its nodes as outputs. What was folded into weights when the
/// model was read stays so; a skipped result has a name with a dot.
Graph withAllResults(Graph graph) {
  std::set<ValueId> outputs(graph.outputs.begin(), graph.outputs.end());
  for (const Node &node : graph.nodes)
    for (ValueId id : node.outputs)
      if (id != noValue && !llvm::StringRef(graph.values[id].name).contains('.') &&
          outputs.insert(id).second)
        graph.outputs.push_back(id);
  return graph;
}

/// The library with all results of the graph's nodes as outputs, after the declared ones. What
/// folds into constants is none.
std::optional<LoadedLibrary> withAllResults(const LoadedLibrary &library,
                                            Diagnostics &diagnostics) {
  const Graph &graph = library.graphs.front();
  if (library.models.count(graph.name)) {
    LoadedLibrary expanded = library;
    expanded.graphs = {withAllResults(graph)};
    return expanded;
  }
  std::set<std::string> results, outputs;
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::result)
      results.insert(value.name);
  GraphSpec spec = *llvm::find_if(
      library.spec.graphs, [&](const GraphSpec &each) { return each.name.value == graph.name; });
  for (const Located<std::string> &output : spec.outputs)
    outputs.insert(output.value);
  for (const NodeSpec &node : spec.nodes)
    for (const Located<std::string> &result : node.outputs)
      if (results.count(result.value) && outputs.insert(result.value).second)
        spec.outputs.push_back(result);
  std::optional<Graph> built = buildGraph(spec, builtInOperators(), diagnostics);
  if (!built)
    return std::nullopt;
  LoadedLibrary expanded = library;
  expanded.graphs = {std::move(*built)};
  return expanded;
}

/// The results of one function by their names.
class Results {
public:
  static llvm::Expected<Results> make(const GenerateResult &made, const std::string &target,
                                      const GivenValues &values, CodeReference code) {
    const GraphInterface &graph = made.library.graphs.front();
    std::string symbol = kernelSymbol(made.library.name, graph.name, target);
    llvm::Expected<FrameCalls> calls = FrameCalls::make(values, graph, symbol, target, code);
    if (!calls)
      return calls.takeError();
    return Results(graph, std::move(*calls));
  }

  llvm::Error call(int64_t frame) { return calls.call(frame); }

  /// Null if there is no such output.
  const unsigned char *find(const std::string &name) {
    auto found = indices.find(name);
    return found == indices.end() ? nullptr : calls.output(found->second);
  }

private:
  Results(const GraphInterface &graph, FrameCalls calls) : calls(std::move(calls)) {
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      indices[graph.outputs[i].name] = i;
  }

  FrameCalls calls;
  std::map<std::string, size_t> indices;
};

class NodeVerifier {
public:
  /// Of `graph` all results are outputs, of `declared` those of the library.
  NodeVerifier(const VerifyOptions &options, const Graph &graph, const Graph &declared,
               const GivenValues &values, ElementType precision, VerifyReport &report)
      : options(options), graph(graph), frames(values.frames), precision(precision),
        report(report) {
    for (const auto &[name, tensor] : values.results)
      given[name] = &tensor;
    for (size_t i = 0; i < values.outputs.size(); ++i)
      if (values.outputs[i])
        given[declared.values[declared.outputs[i]].name] = &*values.outputs[i];
    for (const GraphState &state : graph.states)
      if (state.output &&
          graph.values[graph.outputs[*state.output]].name == state.name + ".updated")
        copies.insert(graph.outputs[*state.output]);
  }

  /// Compares with what is given, or else with `plain`.
  void compare(VerifiedRun &run, Results &results, Results *plain, int64_t frame) const {
    size_t place = 0;
    for (const Node &node : graph.nodes)
      for (ValueId id : node.outputs) {
        if (id == noValue || copies.count(id))
          continue;
        const GraphValue &value = graph.values[id];
        auto file = given.find(value.name);
        bool isGiven = file != given.end();
        const unsigned char *bytes = results.find(value.name);
        if (!bytes || (!isGiven && !plain))
          continue;
        const void *expected =
            isGiven ? static_cast<const void *>(bytesOfFrame(*file->second, value.type, frame))
                    : plain->find(value.name);
        VerifiedTensor tensor = compareTensor({value.name, value.type}, bytes, expected,
                                              toleranceOf(value.type, expected));
        tensor.op = node.op->name;
        tensor.isGiven = isGiven;
        addTensor(run, place++, std::move(tensor), frames, frame);
      }
  }

  /// Notes results that are given and were not compared.
  void noteOthers(const GivenValues &values) const {
    std::set<std::string> compared;
    for (const VerifiedTensor &tensor : report.nodes.front().tensors)
      compared.insert(tensor.name);
    for (const auto &[name, tensor] : values.results)
      if (!compared.count(name))
        report.notes.push_back("'" + name + "' is not compared: it is a part of another node");
  }

private:
  /// Among hundreds of thousands of sums there are some near 0 whose error is that of their terms:
  /// unless it is given, `absolute` takes the others' magnitude into account.
  Tolerance toleranceOf(const TensorType &type, const void *expected) const {
    Tolerance tolerance = toleranceFor(type.element, precision, options.tolerance);
    if (isFloat(type.element) && !options.tolerance.absolute)
      tolerance.absolute += tolerance.relative * typicalMagnitude(type, expected);
    return tolerance;
  }

  const VerifyOptions &options;
  const Graph &graph;
  std::optional<int64_t> frames;
  ElementType precision;
  VerifyReport &report;
  std::map<std::string, const GivenTensor *> given;
  std::set<ValueId> copies; ///< of what states get, beside the value itself
};

llvm::Error compareAll(const GenerateResult &plainLibrary, const GenerateResult &library,
                       bool isForGpusOnly, const GivenValues &values, const ForeignMachine *machine,
                       NodeVerifier verifier, VerifyReport &report) {
  llvm::Expected<CallableCode> plainCode = callableCode(plainLibrary, machine);
  if (!plainCode)
    return plainCode.takeError();
  llvm::Expected<CallableCode> code = callableCode(library, machine);
  if (!code)
    return code.takeError();
  auto plain =
      Results::make(plainLibrary, plainLibrary.library.variants.front().target, values, *plainCode);
  if (!plain)
    return plain.takeError();
  std::vector<std::string> known; // verifyVariants() has noted them
  llvm::Expected<RunnableGpus> gpus = RunnableGpus::find(
      library.library, library.files, library.linked.get(), /*areNeeded=*/false, known);
  if (!gpus)
    return gpus.takeError();
  std::vector<Results> variants;
  report.nodes.push_back({referenceVariant, {}, {}});
  auto add = [&](const std::string &target, const std::string &device,
                 CodeReference reference) -> llvm::Error {
    auto results = Results::make(library, target, values, reference);
    if (!results)
      return results.takeError();
    variants.push_back(std::move(*results));
    report.nodes.push_back({target, device, {}});
    return llvm::Error::success();
  };
  if (!isForGpusOnly)
    for (const VariantInterface &variant : library.library.variants)
      if (llvm::Error error = add(variant.target, "", *code))
        return error;
  for (const RunnableGpus::Target &target : gpus->targets)
    if (llvm::Error error = add(target.name, target.device, *gpus->program))
      return error;
  for (int64_t frame = 0; frame < values.calls(); ++frame) {
    if (llvm::Error error = plain->call(frame))
      return error;
    verifier.compare(report.nodes.front(), *plain, nullptr, frame);
    for (size_t i = 0; i < variants.size(); ++i) {
      if (llvm::Error error = variants[i].call(frame))
        return error;
      verifier.compare(report.nodes[i + 1], variants[i], &*plain, frame);
    }
  }
  verifier.noteOthers(values);
  return llvm::Error::success();
}

} // namespace

GenerateStatus verifyNodes(const VerifyOptions &options, const LoadedLibrary &library,
                           const GivenValues &values, ElementType precision, VerifyReport &report,
                           Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> expanded = withAllResults(library, diagnostics);
  if (!expanded)
    return GenerateStatus::userError;
  GenerateOptions generate;
  generate.specPath = options.path;
  generate.provider = options.provider;
  generate.progress = [&](size_t, size_t, const std::string &what) {
    if (options.progress)
      options.progress("compiling " + what + " with all results as outputs");
  };
  GenerateResult plain, made;
  GenerateStatus status = generateReference(generate, *expanded, plain, diagnostics);
  generate.gpus = true;
  generate.reference = library.isForGpusOnly;
  if (status == GenerateStatus::ok)
    status = generateLibrary(generate, *expanded, made, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  llvm::Error error = compareAll(plain, made, library.isForGpusOnly, values, options.machine.get(),
                                 NodeVerifier(options, expanded->graphs.front(),
                                              library.graphs.front(), values, precision, report),
                                 report);
  return error ? reportError(options, std::move(error), diagnostics) : GenerateStatus::ok;
}

} // namespace kgen
