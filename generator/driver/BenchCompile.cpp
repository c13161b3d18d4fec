// What kgen bench measures and compares with, compiled.
#include "driver/Bench.h"
#include "driver/RunnableVariants.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
GenerateStatus compileForBench(const BenchOptions &options, BenchSubject &subject,
                               BenchReport &report, Diagnostics &diagnostics) {
  std::optional<LoadedLibrary> library =
      loadWhatRunsHere(options.specPath, options.targets, options.targetSearchPath,
                       options.bindings, options.graphs, report.notes, diagnostics, options.link);
  if (!library || !takeSizes(*library, options.sizes, diagnostics))
    return GenerateStatus::userError;
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
