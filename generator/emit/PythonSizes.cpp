#include "emit/PythonSizes.h"

#include "emit/PythonNames.h"
#include "emit/Sizes.h"
#include "emit/StateLayout.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// "(batch, 4*length, )" of a tensor's sizes.
std::string shapeExpression(const TensorType &type, const SizeNotation &notation) {
  std::string sizes;
  for (const Dim &dim : type.shape.dims())
    sizes += sizeText(dim, notation) + ", ";
  return "(" + sizes + ")";
}

/// A table of sizes and of the shapes that tensors have for them. Parameters have numbers, because
/// names of dimensions may be words of Python. `workspace` is enough for all sizes; "": none.
std::string sizesText(const std::vector<DimSymbol> &dims, const std::string &places,
                      llvm::ArrayRef<TensorType> types, const std::string &workspace = "") {
  std::string rows, parameters, shapes;
  SizeNames names;
  for (const DimSymbol &dim : dims) {
    std::string parameter = "n" + std::to_string(names.size());
    parameters += (parameters.empty() ? " " : ", ") + parameter;
    names[dim.name] = parameter;
    rows += "Dim(" + pythonString(dim.name) + ", " + std::to_string(dim.min) + ", " +
            std::to_string(dim.max) + ", " + std::to_string(dim.multiple) + "), ";
  }
  for (const TensorType &type : types)
    shapes += shapeExpression(type, {names, "//"}) + ", ";
  return "Sizes((" + rows + "), (" + places + "), lambda" + parameters + ": (" + shapes + ")" +
         (workspace.empty() ? "" : ", " + workspace) + ")";
}

/// The number of a function's size among those of its block of state; nothing if arrays tell it.
std::optional<size_t> keptSize(const LibraryInterface &library, const GraphInterface &graph,
                               const DimSymbol &dim) {
  if (!usesState(graph))
    return std::nullopt;
  std::vector<SizeParameter> kept = stateSizes(library);
  auto found =
      llvm::find_if(kept, [&](const SizeParameter &size) { return size.dim.name == dim.name; });
  return found == kept.end() ? std::nullopt : std::optional<size_t>(found - kept.begin());
}

} // namespace

std::string pythonSizes(const LibraryInterface &library, const GraphInterface &graph) {
  if (graph.dims.empty())
    return "";
  const GraphInterface passed = withoutState(graph);
  std::string places;
  for (const DimSymbol &dim : graph.dims)
    if (!dim.state.empty()) {
      places += "(None, " + pythonString(dim.state) + "), ";
    } else if (std::optional<size_t> kept = keptSize(library, graph, dim)) {
      places += "(None, " + std::to_string(*kept) + "), ";
    } else {
      SizePlace place = *placeOf(passed, dim);
      places += "(" + std::to_string(place.input) + ", " + std::to_string(place.axis) + "), ";
    }
  std::vector<TensorType> types;
  for (const auto *list : {&passed.inputs, &passed.outputs})
    for (const TensorInterface &tensor : *list)
      types.push_back(tensor.type);
  const std::string workspace =
      hasHeldSizes(graph) ? std::to_string(largestWorkspaceBytes(graph)) : "";
  return ", " + sizesText(graph.dims, places, types, workspace);
}

std::string pythonStateSizes(const LibraryInterface &library) {
  std::vector<DimSymbol> dims;
  for (const SizeParameter &size : stateSizes(library))
    dims.push_back(size.dim);
  std::vector<TensorType> types;
  for (const StateInterface &state : library.states)
    types.push_back(state.type);
  return sizesText(dims, "", types);
}

std::string pythonStateSizeNames(const LibraryInterface &library) {
  std::string names;
  for (const SizeParameter &size : stateSizes(library))
    names += (names.empty() ? "" : ", ") + size.dim.name;
  return names;
}

std::string pythonSizeProblem(const LibraryInterface &library, const GraphInterface &graph) {
  for (const DimSymbol &dim : graph.dims)
    if (dim.state.empty() && !keptSize(library, graph, dim) && !placeOf(withoutState(graph), dim))
      return "no input of graph '" + graph.name + "' has '" + dim.name +
             "' as a dimension: arrays of Python do not tell it";
  return "";
}

} // namespace kgen
