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
    llvm::Expected<GraphCall> call = callOn(values, graph, symbol, target, code);
    if (!call)
      return call.takeError();
    return Results(graph, std::move(*call));
  }

  /// Null if there is no such output.
  const unsigned char *find(const std::string &name) {
    auto found = indices.find(name);
    return found == indices.end() ? nullptr : call.output(found->second);
  }

private:
  Results(const GraphInterface &graph, GraphCall call) : call(std::move(call)) {
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      indices[graph.outputs[i].name] = i;
  }

  GraphCall call;
  std::map<std::string, size_t> indices;
};

class NodeVerifier {
public:
  NodeVerifier(const VerifyOptions &options, const Graph &graph, const GivenValues &values,
               ElementType precision, VerifyReport &report)
      : options(options), graph(graph), precision(precision), report(report) {
    for (const auto &[name, tensor] : values.results)
      given[name] = &tensor;
    size_t declared = values.outputs.size();
    for (size_t i = 0; i < declared; ++i)
      given[graph.values[graph.outputs[i]].name] = &values.outputs[i];
  }

  /// Compares with what is given, or else with `plain`.
  void compare(const std::string &variant, Results &results, Results *plain) {
    VerifiedRun run{variant, {}};
    for (const Node &node : graph.nodes)
      for (ValueId id : node.outputs) {
        if (id == noValue)
          continue;
        const GraphValue &value = graph.values[id];
        auto file = given.find(value.name);
        bool isGiven = file != given.end();
        const unsigned char *bytes = results.find(value.name);
        if (!bytes || (!isGiven && !plain))
          continue;
        const void *expected = isGiven ? static_cast<const void *>(file->second->bytes.data())
                                       : plain->find(value.name);
        VerifiedTensor tensor = compareTensor({value.name, value.type}, bytes, expected,
                                              toleranceOf(value.type, expected));
        tensor.op = node.op->name;
        tensor.isGiven = isGiven;
        run.tensors.push_back(std::move(tensor));
      }
    report.nodes.push_back(std::move(run));
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
  ElementType precision;
  VerifyReport &report;
  std::map<std::string, const GivenTensor *> given;
};

llvm::Error compareAll(const GenerateResult &plainLibrary, const GenerateResult &library,
                       const GivenValues &values, const ForeignMachine *machine,
                       NodeVerifier verifier) {
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
  verifier.compare(referenceVariant, *plain, nullptr);
  for (const VariantInterface &variant : library.library.variants) {
    auto results = Results::make(library, variant.target, values, *code);
    if (!results)
      return results.takeError();
    verifier.compare(variant.target, *results, &*plain);
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
  if (status == GenerateStatus::ok)
    status = generateLibrary(generate, *expanded, made, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  llvm::Error error =
      compareAll(plain, made, values, options.machine.get(),
                 NodeVerifier(options, expanded->graphs.front(), values, precision, report));
  return error ? reportError(options, std::move(error), diagnostics) : GenerateStatus::ok;
}

} // namespace kgen
