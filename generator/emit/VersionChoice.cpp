#include "emit/VersionChoice.h"

#include "emit/Sizes.h"

namespace kgen {

const char *returnType(const GraphInterface &graph) { return graph.calls.empty() ? "void" : "int"; }

std::string codeName(const LibraryInterface &library, const GraphInterface &graph,
                     const std::string &target) {
  return graph.versions.empty() ? kernelSymbol(library.name, graph.name, target)
                                : "kgenrt_choose_" + graph.name + "_" + cIdentifier(target);
}

std::string versionChoice(const LibraryInterface &library, const GraphInterface &graph,
                          const std::string &target) {
  if (graph.versions.empty())
    return "";
  std::vector<SizeParameter> sizes = sizeParameters(library, graph);
  const SizeNames names = parameterNames(sizes);
  const bool returnsStatus = !graph.calls.empty();
  std::string declarations, tensors;
  for (const SizeParameter &size : sizes)
    declarations += size.declaration() + ", ";
  for (const Parameter &p : graphParameters(library, graph)) {
    declarations += p.declaration() + ", ";
    tensors += p.name + ", ";
  }
  auto call = [&](const GraphInterface &version, const char *indent) {
    std::string text = indent + std::string(returnsStatus ? "return " : "") +
                       kernelSymbol(library.name, graph.name, target, version.sizes) + "(";
    for (const DimSymbol &dim : version.dims)
      text += names.at(dim.name) + ", ";
    return text + tensors + "kgenrt_memory, kgenrt_executor);\n";
  };
  std::string text = std::string("static ") + returnType(graph) + " " +
                     codeName(library, graph, target) + "(" + declarations +
                     "unsigned char *kgenrt_memory, const void *kgenrt_executor) {\n";
  for (const GraphInterface &version : graph.versions)
    text += "  if (" + versionCondition(version, names) + ") {\n" + call(version, "    ") +
            (returnsStatus ? "" : "    return;\n") + "  }\n";
  return text + call(graph, "  ") + "}\n";
}

} // namespace kgen
