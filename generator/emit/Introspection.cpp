#include "emit/Introspection.h"

#include "emit/Names.h"
#include "emit/Template.h"

#include <algorithm>

namespace kgen {
namespace {
constexpr char introspectionTemplate[] = R"(
/* Introspection */

@tensors@static const @library@_function kgenrt_functions[] = {
@functions@};

size_t @library@_function_count(void) { return sizeof kgenrt_functions / sizeof *kgenrt_functions; }

const @library@_function *@library@_function_info(size_t index) {
  return index < @library@_function_count() ? &kgenrt_functions[index] : NULL;
}

@library@_status @library@_call(const @library@_context *context, size_t index, const void *const *inputs,
    void *const *outputs, void *workspace, size_t workspace_size) {
  if (index >= @library@_function_count())
    return @LIBRARY@_BAD_INDEX;
  if ((inputs == NULL && kgenrt_functions[index].input_count != 0) ||
      (outputs == NULL && kgenrt_functions[index].output_count != 0))
    return @LIBRARY@_NULL_POINTER;
  switch (index) {
@cases@  default:
    return @LIBRARY@_BAD_INDEX;
  }
}
)";

/// "static const mlp_tensor kgenrt_forward_inputs[] = {...};", or nothing without tensors.
std::string tensorTable(const LibraryInterface &library, const std::string &name,
                        const std::vector<TensorInterface> &tensors) {
  if (tensors.empty())
    return "";
  std::string shapes, rows;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorType &type = tensors[i].type;
    std::string shapeName = "kgenrt_" + name + "_shape_" + std::to_string(i), dims;
    for (int64_t dim : type.shape)
      dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
    if (!type.shape.empty())
      shapes += "static const size_t " + shapeName + "[] = {" + dims + "};\n";
    std::string typeName = upperCase(library.name + "_TYPE_" + std::string(toString(type.element)));
    rows += "  {" + cString(tensors[i].name) + ", " + typeName + ", " +
            std::to_string(type.shape.size()) + ", " + (type.shape.empty() ? "NULL" : shapeName) +
            ", " + std::to_string(type.byteCount()) + ", " +
            std::to_string(byteWidth(type.element));
    if (hasOriginalNames(library)) {
      const std::string &original = tensors[i].original;
      rows += ", " + cString(original.empty() ? tensors[i].name : original);
    }
    rows += "},\n";
  }
  return shapes + "static const " + library.name + "_tensor kgenrt_" + name + "[] = {\n" + rows +
         "};\n";
}

std::string functionRow(const LibraryInterface &library, const GraphInterface &graph) {
  auto table = [&](const char *group, const std::vector<TensorInterface> &tensors) {
    std::string name = tensors.empty() ? "NULL" : "kgenrt_" + graph.name + group;
    return std::to_string(tensors.size()) + ", " + name;
  };
  return "  {" + cString(graph.name) + ", " + table("_inputs", graph.inputs) + ", " +
         table("_outputs", graph.outputs) + ", " + upperCase(library.name + "_" + graph.name) +
         "_WORKSPACE_SIZE},\n";
}

std::string callCase(const LibraryInterface &library, const GraphInterface &graph, size_t index) {
  std::string arguments;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    arguments += "inputs[" + std::to_string(i) + "], ";
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    arguments += "outputs[" + std::to_string(i) + "], ";
  return "  case " + std::to_string(index) + ":\n    return " + library.name + "_" + graph.name +
         "(context, " + arguments + "workspace, workspace_size);\n";
}
} // namespace

std::string emitIntrospection(const LibraryInterface &library) {
  std::string tensors, functions, cases;
  for (size_t i = 0; i < library.graphs.size(); ++i) {
    const GraphInterface &graph = library.graphs[i];
    tensors += tensorTable(library, graph.name + "_inputs", graph.inputs);
    tensors += tensorTable(library, graph.name + "_outputs", graph.outputs) + "\n";
    functions += functionRow(library, graph);
    cases += callCase(library, graph, i);
  }
  return fillTemplate(introspectionTemplate, {{"library", library.name},
                                              {"LIBRARY", upperCase(library.name)},
                                              {"tensors", tensors},
                                              {"functions", functions},
                                              {"cases", cases}});
}

} // namespace kgen
