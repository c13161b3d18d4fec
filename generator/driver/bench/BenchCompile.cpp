// Compiles the code that kgen bench measures and compares with.
#include "driver/bench/Bench.h"
#include "driver/run/LoadedCode.h"
#include "driver/run/RunnableVariants.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/TargetParser/Host.h>

namespace kgen {

/// A built-in target that suits this CPU, and what of it the library would use.
struct MissedTarget {
  TargetSpec target;
  std::string advantage;
};

/// The one of the highest rank that has what the library's graphs use and its targets lack.
static std::optional<MissedTarget> missedTarget(const LoadedLibrary &library) {
  auto suits = [](const TargetSpec &target) {
    bool isForIt = target.onlyOn.vendor.empty() || target.tune == llvm::sys::getHostCPUName();
    return isForIt && missingOnHost(target.featureNames()).empty();
  };
  const TargetSpec &best = library.targets.front();
  const ProductTypes products = productTypesOf(library.graphs);
  std::optional<MissedTarget> missed;
  for (const std::string &name : builtInTargets()) {
    Diagnostics unused;
    std::optional<TargetSpec> target = findTarget({name, {}}, "", {}, unused);
    if (!target || !suits(*target) || target->rank <= best.rank ||
        (missed && target->rank < missed->target.rank))
      continue;
    std::string advantage = usedAdvantage(*target, best, products);
    if (advantage.empty() && !target->onlyOn.vendor.empty())
      advantage = "sizes of tiles that were measured on such CPUs";
    if (!advantage.empty())
      missed = {std::move(*target), std::move(advantage)};
  }
  return missed;
}

/// Gives the sizes that a state holds the numbers that are requested for the state. Returns true if
/// it holds any.
static bool moveToHeldSizes(const LoadedLibrary &library, const std::string &state,
                            SizeLists &sizes) {
  std::set<std::string> held;
  for (const Graph &graph : library.graphs)
    for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
      if (dim->state == state)
        held.insert(dim->name);
  auto found = sizes.find(state);
  if (held.empty() || found == sizes.end())
    return !held.empty();
  const std::vector<int64_t> numbers = found->second;
  sizes.erase(found);
  for (const std::string &name : held)
    sizes.try_emplace(name, numbers);
  return true;
}

/// Moves what states begin with, integers of one element, out of the sizes.
static SizeLists takeCounts(const LoadedLibrary &library, SizeLists &sizes) {
  SizeLists counts;
  for (const StateSpec &state : library.spec.states) {
    const TensorType &type = state.type.value;
    auto found = sizes.find(state.name.value);
    if (moveToHeldSizes(library, state.name.value, sizes))
      continue;
    bool isCount = type.shape.empty() && !isFloat(type.element);
    if (isCount && found != sizes.end())
      counts.insert(sizes.extract(found));
  }
  return counts;
}

GenerateStatus compileForBench(const BenchOptions &options, BenchSubject &subject,
                               BenchReport &report, Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library =
      loadWhatRuns({options.specPath, options.targets, options.targetSearchPath, options.bindings,
                    options.graphs, options.link, options.machine.get(), runElsewhere,
                    /*gpus=*/true},
                   report.notes, diagnostics);
  if (!library)
    return GenerateStatus::userError;
  SizeLists sizes = options.sizes;
  subject.counts = takeCounts(*library, sizes);
  if (!takeSizes(*library, sizes, diagnostics))
    return GenerateStatus::userError;
  if (std::optional<MissedTarget> missed =
          options.targets.empty() && !options.check ? missedTarget(*library) : std::nullopt) {
    const std::string &name = missed->target.name.value;
    report.notes.push_back(name +
                           ": it suits this CPU better than the library's targets, which lack " +
                           missed->advantage + "; --target " + name + " measures it");
  }
  GenerateOptions generate;
  generate.specPath = options.specPath;
  generate.provider = options.provider;
  generate.progress = [&](size_t, size_t, const std::string &what) {
    if (options.progress)
      options.progress(0, "compiling " + what);
  };
  subject.isForGpusOnly = library->isForGpusOnly;
  if (subject.isForGpusOnly && options.steps) {
    diagnostics.error({"--steps", 0, 0}, "the steps of code for graphics cards are not measured",
                      "leave --steps out, or name a CPU with --target, too");
    return GenerateStatus::userError;
  }
  GenerateOptions all = generate;
  all.gpus = true;
  all.reference = subject.isForGpusOnly;
  GenerateStatus status = generateLibrary(all, *library, subject.library, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  if (options.steps) {
    GenerateOptions timed = generate;
    timed.explain = timed.timeSteps = true;
    status = generateLibrary(timed, *library, subject.stepped, diagnostics);
    if (status != GenerateStatus::ok)
      return status;
  }
  LoadedLibrary fixed = *library; // weights are shared
  llvm::erase_if(fixed.graphs, [](const Graph &graph) { return !graph.dims.empty(); });
  keepUsedStates(fixed);
  if (!fixed.graphs.empty())
    status = generateReference(generate, fixed, subject.reference, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  return makeSizedReferences({options.specPath, options.targets, options.targetSearchPath,
                              options.bindings, options.link, sizes, options.machine.get()},
                             generate, subject.library.library.graphs, subject.sized, diagnostics);
}

} // namespace kgen
