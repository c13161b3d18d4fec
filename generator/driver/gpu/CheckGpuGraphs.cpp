#include "driver/gpu/CheckGpuGraphs.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {

bool checkForGpu(const Graph &graph, const GpuSpec &gpu, Diagnostics &diagnostics) {
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
  for (const Node &node : graph.nodes)
    if (node.external)
      diagnostics.error(node.where,
                        "node '" + node.name + "' calls the extern function '" +
                            node.external->symbol.value + "', " + on,
                        advice);
  return diagnostics.errors().size() == before;
}

} // namespace kgen
