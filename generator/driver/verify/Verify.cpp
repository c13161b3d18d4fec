#include "driver/verify/VerifyRun.h"

#include "driver/load/LibraryInterface.h"
#include "driver/run/ForeignMachine.h"
#include "driver/run/RunnableVariants.h"
#include "driver/verify/ResultCheck.h"
#include "emit/Names.h"
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
  /// Loads the library with numbers for all sizes.
  using Loader = llvm::function_ref<std::optional<LoadedLibrary>(const SizeValues &)>;

  SpecVerifier(const VerifyOptions &options, const LoadedLibrary &library,
               const LoadedLibrary &bound, Loader loadAt, const GivenValues &values,
               VerifyReport &report, Diagnostics &diagnostics)
      : options(options), library(library), bound(bound), loadAt(loadAt), values(values),
        report(report), diagnostics(diagnostics) {}

  GenerateStatus run() {
    generate.specPath = options.path;
    generate.provider = options.provider;
    generate.progress = [&](size_t, size_t, const std::string &what) {
      if (options.progress)
        options.progress("compiling " + what);
    };
    GenerateResult plain, made;
    GenerateStatus status = generateReference(generate, bound, plain, diagnostics);
    GenerateOptions all = generate;
    all.gpus = true;
    all.reference = library.isForGpusOnly;
    if (status == GenerateStatus::ok)
      status = generateLibrary(all, library, made, diagnostics);
    if (status != GenerateStatus::ok)
      return status;
    ElementType precision = coarsestPrecision(plain, library.graphs.front().name);
    if (llvm::Error error = verifyVariants(plain, made, precision))
      return reportError(options, std::move(error), diagnostics);
    return options.allNodes ? verifyNodes(options, bound, values, precision, report, diagnostics)
                            : GenerateStatus::ok;
  }

private:
  llvm::Error verifyVariants(const GenerateResult &plain, const GenerateResult &made,
                             ElementType precision) {
    TimedScope timed(TimedScope::stage, "run");
    llvm::Expected<CallableCode> plainCode = callableCode(plain, options.machine.get());
    if (!plainCode)
      return plainCode.takeError();
    llvm::Expected<CallableCode> code = callableCode(made, options.machine.get());
    if (!code)
      return code.takeError();
    llvm::Expected<RunnableGpus> gpus = RunnableGpus::find(
        made.library, made.files, made.linked.get(), library.isForGpusOnly, report.notes);
    if (!gpus)
      return gpus.takeError();
    std::vector<VerifiedCalls> variants;
    if (llvm::Error error = addVariants(plain, *plainCode, /*isReference=*/true, variants))
      return error;
    if (!library.isForGpusOnly)
      if (llvm::Error error = addVariants(made, *code, /*isReference=*/false, variants))
        return error;
    if (llvm::Error error = addGpus(*gpus, values, made.library.graphs.front(), variants))
      return error;
    if (llvm::Error error =
            verifyOutputs(variants, values, made.library.graphs.front(), precision, options))
      return error;
    for (VerifiedCalls &variant : variants)
      report.runs.push_back(std::move(variant.run));
    return llvm::Error::success();
  }

  llvm::Error addVariants(const GenerateResult &made, CodeReference code, bool isReference,
                          std::vector<VerifiedCalls> &variants) {
    const GraphInterface graph = interfaceOf(library.graphs.front(), library);
    for (const VariantInterface &variant : made.library.variants) {
      auto calls = FrameCalls::make(
          values, graph,
          [this, &made, target = variant.target, code, isReference](const SizeValues &sizes) {
            return isReference && sizes != values.sizes ? plainCallAt(sizes)
                                                        : callAt(made, target, code, sizes);
          });
      if (!calls)
        return calls.takeError();
      variants.push_back(
          {std::move(*calls), {isReference ? referenceVariant : variant.target, {}, {}}});
    }
    return llvm::Error::success();
  }

  static llvm::Expected<GraphCall> callAt(const GenerateResult &made, const std::string &target,
                                          CodeReference code, const SizeValues &sizes) {
    const GraphInterface &graph = codeFor(made.library.graphs.front(), sizes);
    return GraphCall::make(graph, kernelSymbol(made.library.name, graph.name, target, graph.sizes),
                           target, code, sizes);
  }

  /// Plain loops for the sizes that states hold before a frame.
  llvm::Expected<GraphCall> plainCallAt(const SizeValues &sizes) {
    std::optional<LoadedLibrary> loaded = loadAt(sizes);
    auto made = std::make_unique<GenerateResult>();
    if (!loaded || generateReference(generate, *loaded, *made, diagnostics) != GenerateStatus::ok)
      return foreignError("plain loops" + atText(sizes) + " cannot be made");
    llvm::Expected<CallableCode> code = callableCode(*made, options.machine.get());
    if (!code)
      return code.takeError();
    plainLoops.push_back({std::move(made), std::make_unique<CallableCode>(std::move(*code))});
    const GenerateResult &kept = *plainLoops.back().made;
    return callAt(kept, kept.library.variants.front().target, *plainLoops.back().code, sizes);
  }

  struct PlainLoops {
    std::unique_ptr<GenerateResult> made;
    std::unique_ptr<CallableCode> code;
  };

  const VerifyOptions &options;
  const LoadedLibrary &library, &bound;
  Loader loadAt;
  GenerateOptions generate;
  std::vector<PlainLoops> plainLoops; ///< of frames
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
                                                       runElsewhere,
                                                       /*gpus=*/true},
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
  keepUsedStates(*library);
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
  const GraphInterface described = interfaceOf(graph, *library);
  const InnerValues inner = innerValues(graph, *library);
  const std::vector<StateInterface> states = statesOf(library->spec);
  auto values = readGivenValues(
      {options.against, described, inner, states, options.frames, /*needsOutputs=*/false},
      report.notes, diagnostics);
  if (!values)
    return GenerateStatus::userError;
  report.frames = values->frames;
  if (!options.allNodes && !values->results.empty())
    report.notes.push_back(std::to_string(values->results.size()) +
                           " results of nodes are given: --all-nodes compares them, too");
  auto loadAt = [&](const SizeValues &sizes) {
    ModelBindings bindings = options.bindings;
    bindSizes(bindings, sizes);
    std::vector<std::string> same;
    return loadGraph(options, bindings, same, diagnostics);
  };
  if (values->sizes.empty())
    return SpecVerifier(options, *library, *library, loadAt, *values, report, diagnostics).run();
  if (options.allNodes && options.frames && hasHeldSizes(described)) {
    diagnostics.error({options.path, 0, 0},
                      "--all-nodes compares one call of a graph whose sizes a state holds",
                      "leave --frames out, or --all-nodes");
    return GenerateStatus::userError;
  }
  std::optional<LoadedLibrary> bound = loadAt(values->sizes);
  return bound ? SpecVerifier(options, *library, *bound, loadAt, *values, report, diagnostics).run()
               : GenerateStatus::userError;
}

} // namespace

GenerateStatus reportError(const VerifyOptions &options, llvm::Error error,
                           Diagnostics &diagnostics) {
  bool isDefect = !error.isA<RequestError>();
  diagnostics.error({options.path, 0, 0}, llvm::toString(std::move(error)));
  return isDefect ? GenerateStatus::internalError : GenerateStatus::userError;
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

llvm::Error addGpus(const RunnableGpus &gpus, const GivenValues &values,
                    const GraphInterface &graph, std::vector<VerifiedCalls> &variants) {
  for (const RunnableGpus::Target &target : gpus.targets) {
    auto calls = FrameCalls::make(values, graph, "", target.name, *gpus.program);
    if (!calls)
      return calls.takeError();
    variants.push_back({std::move(*calls), {target.name, target.device, {}}});
  }
  return llvm::Error::success();
}

/// Appends the same tensor of another call.
static void addFrame(VerifiedTensor &all, const VerifiedTensor &next, int64_t frame) {
  if (all.firstWrongFrame < 0 && !next.isRight())
    all.firstWrongFrame = frame;
  if (!all.comparison.append(next.comparison))
    return;
  all.value = next.value;
  all.expected = next.expected;
  all.tolerance = next.tolerance;
}

void addTensor(VerifiedRun &run, size_t place, VerifiedTensor tensor, std::optional<int64_t> frames,
               int64_t frame) {
  if (place < run.tensors.size())
    return addFrame(run.tensors[place], tensor, frame);
  if (frames) {
    tensor.type.shape.insert(tensor.type.shape.begin(), *frames);
    tensor.firstWrongFrame = tensor.isRight() ? -1 : frame;
  }
  run.tensors.push_back(std::move(tensor));
}

llvm::Error verifyOutputs(std::vector<VerifiedCalls> &variants, const GivenValues &values,
                          const GraphInterface &graph, ElementType precision,
                          const VerifyOptions &options) {
  const std::vector<TensorInterface> outputs = atSizes(graph, values.sizes).outputs;
  const bool hasPlain = variants.front().run.variant == referenceVariant;
  for (int64_t frame = 0; frame < values.calls(); ++frame) {
    if (options.progress && values.frames)
      options.progress("frame " + std::to_string(frame));
    for (VerifiedCalls &variant : variants) {
      if (llvm::Error error = variant.calls.call(frame))
        return error;
      size_t place = 0;
      for (size_t i = 0; i < outputs.size(); ++i) {
        const std::optional<GivenTensor> &given = values.outputs[i];
        if (!given && (!hasPlain || &variant == &variants.front()))
          continue;
        const void *expected =
            given ? static_cast<const void *>(bytesOfFrame(*given, outputs[i].type, frame))
                  : variants.front().calls.output(i);
        VerifiedTensor tensor =
            compareTensor(outputs[i], variant.calls.output(i), expected,
                          toleranceFor(outputs[i].type.element, precision, options.tolerance));
        tensor.isGiven = given.has_value();
        addTensor(variant.run, place++, std::move(tensor), values.frames, frame);
      }
    }
  }
  return llvm::Error::success();
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
  const VerifiedTensor *first = nullptr;
  for (const VerifiedTensor &tensor : tensors)
    if (!tensor.isRight() && (!first || tensor.firstWrongFrame < first->firstWrongFrame))
      first = &tensor;
  return first;
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
