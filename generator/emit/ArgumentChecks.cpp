#include "emit/ArgumentChecks.h"

namespace kgen {

std::string nullChecks(const LibraryInterface &library, const std::vector<Parameter> &parameters,
                       const SizeNames &sizes) {
  std::string condition;
  for (const Parameter &p : parameters) {
    Dim elements = p.type.shape.elements();
    DimBounds bounds = elements.bounds();
    if (bounds.max == 0)
      continue;
    std::string isNull = p.name + " == NULL";
    if (bounds.min == 0)
      isNull = "(" + isNull + " && " + sizeExpression(elements, sizes) + " != 0)";
    condition += (condition.empty() ? "" : " || ") + isNull;
  }
  if (condition.empty())
    return "";
  return "  if (" + condition + ")\n    return " + upperCase(library.name) + "_NULL_POINTER;\n";
}

std::string sizeCheck(const LibraryInterface &library, const GraphInterface &graph,
                      const std::string &isAllowed) {
  if (graph.dims.empty())
    return "";
  return "  if (!" + isAllowed + ")\n    return " + upperCase(library.name) + "_BAD_SIZE;\n";
}

} // namespace kgen
