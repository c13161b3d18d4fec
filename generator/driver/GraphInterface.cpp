// A graph's function as users of the library see it.
#include "driver/ExternFunctions.h"
#include "driver/Generate.h"
#include "driver/Sizes.h"

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

void addWorkspace(const Part &part, const Graph &graph, GraphInterface &described) {
  described.workspaceBytes[part.target] = part.workspaceBytes;
  if (graph.dims.empty())
    return;
  std::vector<Dim> sizes = workspaceDims(part.workspaceSizes, graph.dims);
  if (sizes.empty()) // it depends on no size
    sizes.push_back(part.workspaceBytes);
  described.workspaceSizes[part.target] = std::move(sizes);
}

} // namespace kgen
