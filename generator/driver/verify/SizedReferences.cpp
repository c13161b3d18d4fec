#include "driver/verify/SizedReferences.h"

#include "driver/load/LibraryInterface.h"
#include "driver/run/RunnableVariants.h"

namespace kgen {

GenerateStatus makeSizedReferences(const SizedRequest &request, const GenerateOptions &generate,
                                   const std::vector<GraphInterface> &graphs,
                                   std::vector<SizedReference> &references,
                                   Diagnostics &diagnostics) {
  for (const GraphInterface &graph : graphs) {
    if (graph.dims.empty())
      continue;
    for (const SizeValues &sizes : combinations(graph, request.sizes)) {
      ModelBindings bindings = request.bindings;
      bindSizes(bindings, sizes);
      std::vector<std::string> notes;
      const std::vector<std::string> only{graph.name};
      std::optional<LoadedLibrary> bound =
          loadWhatRuns({request.specPath, request.targets, request.targetSearchPath, bindings, only,
                        request.link, request.machine},
                       notes, diagnostics);
      if (!bound)
        return GenerateStatus::userError;
      SizedReference &reference = references.emplace_back();
      reference.graph = graph.name;
      reference.sizes = sizes;
      for (const DimSymbol &dim : graph.dims)
        if (!dim.state.empty())
          reference.counts[dim.state] = sizes.at(dim.name);
      GenerateStatus status = generateReference(generate, *bound, reference.plain, diagnostics);
      if (status != GenerateStatus::ok)
        return status;
    }
  }
  return GenerateStatus::ok;
}

bool takeSizes(const LoadedLibrary &library, const SizeLists &sizes, Diagnostics &diagnostics) {
  std::vector<GraphInterface> graphs;
  for (const Graph &graph : library.graphs)
    graphs.push_back(interfaceOf(graph, library));
  checkSizes(graphs, sizes, "--size", diagnostics);
  return !diagnostics.hasErrors();
}

} // namespace kgen
