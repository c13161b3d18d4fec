// The workspace of a graph's function as users of the library see it.
#include "driver/compile/WorkspaceDims.h"
#include "driver/generate/Generate.h"

namespace kgen {

/// Of the code of the graph, or of one of its versions.
static void setWorkspace(const Part &part,
                         const std::vector<std::shared_ptr<const DimSymbol>> &dims,
                         GraphInterface &described) {
  described.workspaceBytes[part.target] = part.workspaceBytes;
  if (dims.empty())
    return;
  std::vector<Dim> sizes = workspaceDims(part.workspaceSizes, dims);
  if (sizes.empty()) // it depends on no size
    sizes.push_back(part.workspaceBytes);
  described.workspaceSizes[part.target] = std::move(sizes);
}

void addWorkspace(const Part &part, const Graph &graph, GraphInterface &described) {
  if (part.sizes.empty())
    return setWorkspace(part, graph.dims, described);
  std::vector<std::shared_ptr<const DimSymbol>> dims;
  for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
    if (!part.sizes.count(dim->name))
      dims.push_back(dim);
  for (GraphInterface &version : described.versions)
    if (version.sizes == part.sizes)
      setWorkspace(part, dims, version);
  int64_t &enough = described.workspaceBytes[part.target];
  enough = std::max(enough, part.workspaceBytes);
}

} // namespace kgen
