// A graph's function as users of the library see it.
#include "driver/compile/Sizes.h"
#include "driver/generate/Generate.h"
#include "driver/load/ExternFunctions.h"

namespace kgen {

GraphInterface interfaceOf(const Graph &graph, const LoadedLibrary &library) {
  GraphInterface described{graph.name, {}, {}, {}, {}};
  auto model = library.models.find(graph.name);
  auto describe = [&](ValueId id) {
    TensorInterface tensor{graph.values[id].name, graph.values[id].type};
    tensor.dimNames = graph.values[id].dimNames;
    if (model != library.models.end())
      if (auto name = model->second.original.find(tensor.name);
          name != model->second.original.end())
        tensor.original = name->second;
    return tensor;
  };
  for (ValueId id : graph.inputs)
    described.inputs.push_back(describe(id));
  for (ValueId id : graph.outputs)
    described.outputs.push_back(describe(id));
  if (model != library.models.end())
    described.modelInputs = model->second.inputs;
  described.calls = externSymbolsOf(graph);
  for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
    described.dims.push_back(*dim);
  return described;
}

void addVersions(const LoadedLibrary &library, GraphInterface &described) {
  for (const LoadedLibrary::Version &version : library.versions)
    if (version.graph == described.name) {
      GraphInterface made = interfaceOf(version.code, library);
      made.name = described.name;
      made.sizes = version.sizes;
      described.versions.push_back(std::move(made));
    }
}

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
