// What kgen bench measures and compares with, compiled.
#include "driver/Bench.h"
#include "driver/RunnableVariants.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Plain loops for each size that functions are called with, which are made for numbers.
GenerateStatus compileSized(const BenchOptions &options, const GenerateOptions &generate,
                            BenchSubject &subject, Diagnostics &diagnostics) {
  for (const GraphInterface &graph : subject.library.library.graphs) {
    if (graph.dims.empty())
      continue;
    for (const SizeValues &sizes : combinations(graph, options.sizes)) {
      ModelBindings bindings = options.bindings;
      bindSizes(bindings, sizes);
      std::vector<std::string> notes;
      std::optional<LoadedLibrary> bound =
          loadWhatRunsHere(options.specPath, options.targets, options.targetSearchPath, bindings,
                           {graph.name}, notes, diagnostics, options.link);
      if (!bound)
        return GenerateStatus::userError;
      SizedReference &reference = subject.sized.emplace_back();
      reference.graph = graph.name;
      reference.sizes = sizes;
      GenerateStatus status = generateReference(generate, *bound, reference.plain, diagnostics);
      if (status != GenerateStatus::ok)
        return status;
    }
  }
  return GenerateStatus::ok;
}

/// Whether functions take the sizes that are requested.
bool takeSizes(const LoadedLibrary &library, const SizeLists &sizes, Diagnostics &diagnostics) {
  std::vector<GraphInterface> graphs;
  for (const Graph &graph : library.graphs)
    graphs.push_back(interfaceOf(graph, library));
  checkSizes(graphs, sizes, "--size", diagnostics);
  return !diagnostics.hasErrors();
}

} // namespace

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
  return status == GenerateStatus::ok ? compileSized(options, generate, subject, diagnostics)
                                      : status;
}

} // namespace kgen
