// The workspace of a graph's function as users of the library see it.
#include "dialect/kgen/IndexBits.h"
#include "driver/compile/WorkspaceDims.h"
#include "driver/generate/Generate.h"

#include <llvm/ADT/STLExtras.h>

#include <limits>

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

llvm::Error checkAddresses(const Graph &graph, const TargetSpec &target, int64_t workspaceBytes) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max(); // offsets have a sign
  if (indexBitsOf(target.triple) > 32)
    return llvm::Error::success();
  int64_t bytes = workspaceBytes;
  for (ValueId id : llvm::concat<const ValueId>(graph.inputs, graph.outputs))
    if (const TensorType &type = graph.values[id].type; type.isStatic())
      bytes += type.byteCount();
  if (bytes <= most)
    return llvm::Error::success();
  return llvm::make_error<RequestError>(
      "graph '" + graph.name + "' for target '" + target.name.value +
          "': tensors and workspace of a call have " + std::to_string(bytes) +
          " bytes, of which addresses of 32 bits reach " + std::to_string(most),
      llvm::inconvertibleErrorCode());
}

} // namespace kgen
