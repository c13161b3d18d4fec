#include "driver/verify/VerifyRun.h"

#include "driver/load/LibraryInterface.h"
#include "driver/run/RunnableVariants.h"
#include "driver/verify/ResultCheck.h"
#include "support/Timing.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <cstring>
#include <filesystem>

namespace kgen {
namespace {

/// The names and types of what a spec's graph computes on its way.
InnerValues innerValues(const Graph &graph, const LoadedLibrary &library) {
  InnerValues inner;
  inner.areKnown = true;
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::result)
      inner.results[value.name] = value.type;
    else if (value.kind == ValueKind::weight)
      inner.weights.insert(value.name);
  if (auto model = library.models.find(graph.name); model != library.models.end()) {
    const std::map<std::string, std::string> &original = model->second.original;
    for (const GraphValue &value : graph.values) {
      auto found = original.find(value.name);
      const std::string &name = found == original.end() ? value.name : found->second;
      if (!inner.modelNames.try_emplace(name, value.name).second)
        inner.severalOf.insert(name);
    }
  }
  return inner;
}

/// Compiles the library, calls each variant's function and compares. Plain loops are made of
/// `bound`, whose sizes are numbers.
class SpecVerifier {
public:
  SpecVerifier(const VerifyOptions &options, const LoadedLibrary &library,
               const LoadedLibrary &bound, const GivenValues &values, VerifyReport &report,
               Diagnostics &diagnostics)
      : options(options), library(library), bound(bound), values(values), report(report),
        diagnostics(diagnostics) {}

  GenerateStatus run() {
    GenerateOptions generate;
    generate.specPath = options.path;
    generate.provider = options.provider;
    generate.progress = [&](size_t, size_t, const std::string &what) {
      if (options.progress)
        options.progress("compiling " + what);
    };
    GenerateResult plain, made;
    GenerateStatus status = generateReference(generate, bound, plain, diagnostics);
    if (status == GenerateStatus::ok)
      status = generateLibrary(generate, library, made, diagnostics);
    if (status != GenerateStatus::ok)
      return status;
    ElementType precision = coarsestPrecision(plain, library.graphs.front().name);
    llvm::Error error = verifyVariants(plain, precision, /*isReference=*/true);
    if (!error)
      error = verifyVariants(made, precision, /*isReference=*/false);
    if (error)
      return reportError(options, std::move(error), diagnostics);
    return options.allNodes ? verifyNodes(options, bound, values, precision, report, diagnostics)
                            : GenerateStatus::ok;
  }

private:
  llvm::Error verifyVariants(const GenerateResult &made, ElementType precision, bool isReference) {
    TimedScope timed(TimedScope::stage, "run");
    llvm::Expected<CallableCode> code = callableCode(made, options.machine.get());
    if (!code)
      return code.takeError();
    const GraphInterface &graph = codeFor(made.library.graphs.front(), values.sizes);
    for (const VariantInterface &variant : made.library.variants) {
      std::string symbol = kernelSymbol(made.library.name, graph.name, variant.target, graph.sizes);
      auto call = callOn(values, graph, symbol, variant.target, *code);
      if (!call)
        return call.takeError();
      report.runs.push_back(verifyOutputs(isReference ? referenceVariant : variant.target, values,
                                          *call, graph, precision, options.tolerance));
    }
    return llvm::Error::success();
  }

  const VerifyOptions &options;
  const LoadedLibrary &library, &bound;
  const GivenValues &values;
  VerifyReport &report;
  Diagnostics &diagnostics;
};

/// The library with one graph, loaded for what runs here.
std::optional<LoadedLibrary> loadGraph(const VerifyOptions &options, const ModelBindings &bindings,
                                       std::vector<std::string> &notes, Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library = loadWhatRuns({options.path,
                                                       options.targets,
                                                       options.targetSearchPath,
                                                       bindings,
                                                       {},
                                                       options.link,
                                                       options.machine.get(),
                                                       runElsewhere},
                                                      notes, diagnostics);
  if (!library)
    return std::nullopt;
  std::vector<std::string> names;
  for (const Graph &graph : library->graphs)
    names.push_back(graph.name);
  std::optional<std::string> name = chooseGraph(options, names, diagnostics);
  if (!name)
    return std::nullopt;
  llvm::erase_if(library->graphs, [&](const Graph &graph) { return graph.name != *name; });
  return library;
}

GenerateStatus verifySpec(const VerifyOptions &options, VerifyReport &report,
                          Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library =
      loadGraph(options, options.bindings, report.notes, diagnostics);
  if (!library)
    return GenerateStatus::userError;
  const Graph &graph = library->graphs.front();
  report.library = library->spec.library.value;
  report.graph = graph.name;
  auto values = readGivenValues(options.against, interfaceOf(graph, *library),
                                innerValues(graph, *library), report.notes, diagnostics);
  if (!values)
    return GenerateStatus::userError;
  if (!options.allNodes && !values->results.empty())
    report.notes.push_back(std::to_string(values->results.size()) +
                           " results of nodes are given: --all-nodes compares them, too");
  if (values->sizes.empty())
    return SpecVerifier(options, *library, *library, *values, report, diagnostics).run();
  ModelBindings bindings = options.bindings;
  bindSizes(bindings, values->sizes);
  std::vector<std::string> same;
  std::optional<LoadedLibrary> bound = loadGraph(options, bindings, same, diagnostics);
  return bound ? SpecVerifier(options, *library, *bound, *values, report, diagnostics).run()
               : GenerateStatus::userError;
}

} // namespace

GenerateStatus reportError(const VerifyOptions &options, llvm::Error error,
                           Diagnostics &diagnostics) {
  bool isDefect = !error.isA<RequestError>();
  diagnostics.error({options.path, 0, 0}, llvm::toString(std::move(error)));
  return isDefect ? GenerateStatus::internalError : GenerateStatus::userError;
}

llvm::Expected<GraphCall> callOn(const GivenValues &values, const GraphInterface &graph,
                                 const std::string &symbol, const std::string &target,
                                 CodeReference code) {
  llvm::Expected<GraphCall> call = GraphCall::make(graph, symbol, target, code, values.sizes);
  if (!call)
    return call.takeError();
  for (size_t i = 0; i < values.inputs.size(); ++i)
    llvm::copy(values.inputs[i].bytes, call->input(i));
  llvm::Expected<int> status = call->call();
  if (!status)
    return status.takeError();
  if (*status != 0)
    return llvm::make_error<RequestError>("graph '" + graph.name +
                                              "': an extern function failed: it returned " +
                                              std::to_string(*status),
                                          llvm::inconvertibleErrorCode());
  return call;
}

VerifiedTensor compareTensor(const TensorInterface &tensor, const void *bytes, const void *expected,
                             const Tolerance &tolerance) {
  VerifiedTensor verified;
  verified.name = tensor.name;
  verified.type = tensor.type;
  verified.tolerance = tolerance;
  verified.comparison = compareElements(tensor.type, bytes, expected, tolerance);
  if (int64_t worst = verified.comparison.worst; worst >= 0) {
    verified.value = elementText(tensor.type, bytes, worst);
    verified.expected = elementText(tensor.type, expected, worst);
  }
  return verified;
}

VerifiedRun verifyOutputs(const std::string &variant, const GivenValues &values, GraphCall &call,
                          const GraphInterface &graph, ElementType precision,
                          const ToleranceOptions &tolerance) {
  VerifiedRun run{variant, {}};
  const std::vector<TensorInterface> outputs = atSizes(graph, values.sizes).outputs;
  for (size_t i = 0; i < outputs.size(); ++i)
    run.tensors.push_back(
        compareTensor(outputs[i], call.output(i), values.outputs[i].bytes.data(),
                      toleranceFor(outputs[i].type.element, precision, tolerance)));
  return run;
}

std::optional<std::string> chooseGraph(const VerifyOptions &options,
                                       const std::vector<std::string> &names,
                                       Diagnostics &diagnostics) {
  if (options.graph.empty() && names.size() == 1)
    return names.front();
  if (llvm::is_contained(names, options.graph))
    return options.graph;
  diagnostics.error({options.path, 0, 0},
                    options.graph.empty() ? "the library has several graphs: --graph chooses one"
                                          : "the library has no graph '" + options.graph + "'" +
                                                didYouMean(options.graph, names),
                    "it has " + llvm::join(names, ", "));
  return std::nullopt;
}

const VerifiedTensor *VerifiedRun::firstWrong() const {
  auto wrong =
      llvm::find_if(tensors, [](const VerifiedTensor &tensor) { return !tensor.isRight(); });
  return wrong == tensors.end() ? nullptr : &*wrong;
}

bool VerifyReport::isRight() const {
  return llvm::none_of(runs, [](const VerifiedRun &run) { return run.firstWrong(); }) &&
         llvm::none_of(nodes, [](const VerifiedRun &run) { return run.firstWrong(); });
}

GenerateStatus verify(const VerifyOptions &options, VerifyReport &report,
                      Diagnostics &diagnostics) {
  std::error_code code;
  return std::filesystem::is_directory(options.path, code)
             ? verifyFolder(options, report, diagnostics)
             : verifySpec(options, report, diagnostics);
}

} // namespace kgen
