// What kgen bench measures and compares with, compiled.
#include "driver/Bench.h"
#include "driver/LoadedCode.h"
#include "driver/RunnableVariants.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/TargetParser/Host.h>

namespace kgen {

/// The built-in target of the highest rank that suits this CPU; nothing where the library has one
/// of at least its rank.
static std::optional<TargetSpec> missedTarget(const LoadedLibrary &library) {
  auto suits = [](const TargetSpec &target) {
    bool isForIt = target.onlyOn.vendor.empty() || target.tune == llvm::sys::getHostCPUName();
    return isForIt && missingOnHost(target.featureNames()).empty();
  };
  std::optional<TargetSpec> best;
  for (const std::string &name : builtInTargets()) {
    Diagnostics unused;
    std::optional<TargetSpec> target = findTarget({name, {}}, "", {}, unused);
    if (target && suits(*target) && (!best || target->rank > best->rank))
      best = std::move(target);
  }
  bool isThere = best && llvm::any_of(library.targets, [&](const TargetSpec &target) {
                   return target.rank >= best->rank;
                 });
  return isThere ? std::nullopt : best;
}

GenerateStatus compileForBench(const BenchOptions &options, BenchSubject &subject,
                               BenchReport &report, Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library =
      loadWhatRunsHere(options.specPath, options.targets, options.targetSearchPath,
                       options.bindings, options.graphs, report.notes, diagnostics, options.link);
  if (!library || !takeSizes(*library, options.sizes, diagnostics))
    return GenerateStatus::userError;
  if (std::optional<TargetSpec> missed =
          options.targets.empty() ? missedTarget(*library) : std::nullopt)
    report.notes.push_back(missed->name.value +
                           ": it suits this CPU better than the library's targets, and is none of "
                           "them; --target " +
                           missed->name.value + " measures it");
  GenerateOptions generate;
  generate.specPath = options.specPath;
  generate.provider = options.provider;
  generate.progress = [&](size_t, size_t, const std::string &what) {
    if (options.progress)
      options.progress(0, "compiling " + what);
  };
  GenerateStatus status = generateLibrary(generate, *library, subject.library, diagnostics);
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
  if (!fixed.graphs.empty())
    status = generateReference(generate, fixed, subject.reference, diagnostics);
  if (status != GenerateStatus::ok)
    return status;
  return makeSizedReferences({options.specPath, options.targets, options.targetSearchPath,
                              options.bindings, options.link, options.sizes},
                             generate, subject.library.library.graphs, subject.sized, diagnostics);
}

} // namespace kgen
