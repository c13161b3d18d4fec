#include "driver/gpu/CheckGpuGraphs.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

const char runOnCpuAdvice[] = "'run_on: cpu' at the node lets the CPU compute it";

bool checkForGpu(const CutGraph &cut, const GpuSpec &gpu, Diagnostics &diagnostics) {
  const Graph &graph = *cut.whole;
  const size_t before = diagnostics.errors().size();
  const std::string on = "which code for '" + gpu.name.value + "' does not have yet";
  const std::string advice = "leave '" + gpu.name.value + "' to a library of graphs without them";
  const SourceLoc where = graph.nodes.empty() ? gpu.name.where : graph.nodes.front().where;
  if (!graph.dims.empty())
    diagnostics.error(where,
                      "graph '" + graph.name + "' has sizes that are known at run time only, " + on,
                      "give '" + graph.dims.front()->name + "' a size, or " + advice);
  if (!graph.states.empty())
    diagnostics.error(where, "graph '" + graph.name + "' has states, " + on, advice);
  auto refuseExterns = [&](const Graph &part) {
    for (const Node &node : part.nodes)
      if (node.external)
        diagnostics.error(node.where,
                          "node '" + node.name + "' calls the extern function '" +
                              node.external->symbol.value + "', " + on,
                          runOnCpuAdvice);
  };
  if (!cut.isCut())
    refuseExterns(graph);
  for (const GraphPart &part : cut.parts)
    if (!part.isOnCpu)
      refuseExterns(part.graph);
  return diagnostics.errors().size() == before;
}

} // namespace kgen
