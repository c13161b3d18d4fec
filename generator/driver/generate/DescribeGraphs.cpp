#include "driver/generate/DescribeGraphs.h"

#include "driver/generate/Numerics.h"
#include "driver/load/LibraryInterface.h"

namespace kgen {

static void addWorkspaces(const std::vector<Part> &parts, const Graph &graph,
                          GraphInterface &described) {
  for (const Part &part : parts)
    if (part.graph == graph.name)
      addWorkspace(part, graph, described);
}

void describeGraphs(const LoadedLibrary &library, const std::vector<CutGraph> &cuts,
                    const std::vector<Part> &parts, LibraryInterface &interface) {
  for (const Graph &graph : library.graphs) {
    GraphInterface described = interfaceOf(graph, library);
    addVersions(library, described);
    addWorkspaces(parts, graph, described);
    described.numerics = numericsOf(graph);
    interface.graphs.push_back(std::move(described));
  }
  for (const GraphPart *part : cpuPartsOf(cuts)) {
    GraphInterface described = interfaceOf(part->graph, library);
    addWorkspaces(parts, part->graph, described);
    interface.cpuFunctions.push_back(std::move(described));
  }
  for (const Part &part : parts)
    interface.stackBytes = std::max(interface.stackBytes, part.stackBytes);
  for (const TargetSpec &target : library.targets) {
    interface.triple = target.triple;
    interface.variants.push_back({target.name.value, target.rank, target.featureNames(),
                                  target.onlyOn.vendor, target.onlyOn.families,
                                  target.onlyOn.models});
  }
}

} // namespace kgen
