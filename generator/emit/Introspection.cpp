#include "emit/Introspection.h"

#include "emit/Names.h"
#include "emit/Sizes.h"
#include "emit/State.h"
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

@of_sizes@@library@_status @library@_call(const @library@_context *context, size_t index, @call_sizes@const void *const *inputs,
    @call_state@void *const *outputs, void *workspace, size_t workspace_size) {
  if (index >= @library@_function_count())
    return @LIBRARY@_BAD_INDEX;
@sizes_given@  if ((inputs == NULL && kgenrt_functions[index].input_count != 0) ||
      (outputs == NULL && kgenrt_functions[index].output_count != 0))
    return @LIBRARY@_NULL_POINTER;
  switch (index) {
@cases@  default:
    return @LIBRARY@_BAD_INDEX;
  }
}
)";

// Of a library whose functions take sizes.
constexpr char sizeTemplate[] = R"(
static @library@_status kgenrt_check_sizes(size_t index, const size_t *sizes) {
  if (index >= @library@_function_count())
    return @LIBRARY@_BAD_INDEX;
  const @library@_function *function = &kgenrt_functions[index];
  if (sizes == NULL && function->dim_count != 0)
    return @LIBRARY@_NULL_POINTER;
  for (size_t i = 0; i < function->dim_count; ++i) {
    const @library@_dim *dim = &function->dims[i];
    if (sizes[i] < dim->min || sizes[i] > dim->max || sizes[i] % dim->multiple != 0)
      return @LIBRARY@_BAD_SIZE;
  }
  return @LIBRARY@_OK;
}

@library@_status @library@_function_shape(size_t index, const size_t *sizes, size_t tensor, size_t *shape) {
  @library@_status status = kgenrt_check_sizes(index, sizes);
  if (status != @LIBRARY@_OK)
    return status;
  const @library@_function *function = &kgenrt_functions[index];
  if (tensor >= function->input_count + function->output_count)
    return @LIBRARY@_BAD_INDEX;
  const @library@_tensor *row = tensor < function->input_count ? &function->inputs[tensor]
                                                         : &function->outputs[tensor - function->input_count];
  if (shape == NULL && row->rank != 0)
    return @LIBRARY@_NULL_POINTER;
  for (uint32_t i = 0; i < row->rank; ++i)
    shape[i] = row->shape[i];
  switch (index) {
@shape_cases@  default:
    break;
  }
  return @LIBRARY@_OK;
}

size_t @library@_function_workspace_size(const @library@_context *context, size_t index, const size_t *sizes) {
  if (kgenrt_check_sizes(index, sizes) != @LIBRARY@_OK)
    return 0;
  switch (index) {
@workspace_cases@  default:
    return 0;
  }
}

)";

constexpr char sizesGiven[] = R"(
  if (sizes == NULL && kgenrt_functions[index].dim_count != 0)
    return @LIBRARY@_NULL_POINTER;
)";

} // namespace

std::string tensorTable(const LibraryInterface &library, const std::string &name,
                        const std::vector<TensorInterface> &tensors) {
  if (tensors.empty())
    return "";
  std::string shapes, rows;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorType &type = tensors[i].type;
    std::string shapeName = "kgenrt_" + name + "_shape_" + std::to_string(i), dims;
    for (const Dim &dim : type.shape.dims())
      dims += (dims.empty() ? "" : ", ") + std::to_string(dim.bounds().max);
    if (!type.shape.empty())
      shapes += "static const size_t " + shapeName + "[] = {" + dims + "};\n";
    std::string typeName = upperCase(library.name + "_TYPE_" + std::string(toString(type.element)));
    rows += "  {" + cString(tensors[i].name) + ", " + typeName + ", " +
            std::to_string(type.shape.size()) + ", " + (type.shape.empty() ? "NULL" : shapeName) +
            ", " + std::to_string(largestByteCount(type)) + ", " +
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

namespace {

/// The member of a size's row that only libraries have whose states hold sizes.
std::string stateMember(const LibraryInterface &library, const DimSymbol &dim) {
  if (!hasHeldSizes(library))
    return "";
  return ", " + (dim.state.empty() ? "NULL" : cString(dim.state));
}

std::string dimTable(const LibraryInterface &library, const GraphInterface &graph) {
  std::string rows;
  for (const DimSymbol &dim : graph.dims)
    rows += (rows.empty() ? "{" : ", {") + cString(dim.name) + ", " + std::to_string(dim.min) +
            ", " + std::to_string(dim.max) + ", " + std::to_string(dim.multiple) +
            stateMember(library, dim) + "}";
  return rows.empty() ? ""
                      : "static const " + library.name + "_dim kgenrt_" + graph.name +
                            "_dims[] = {" + rows + "};\n";
}

/// The members of a function's row that only libraries with sizes have.
std::string dimsOf(const LibraryInterface &library, const GraphInterface &graph) {
  if (!takesSizes(library))
    return "";
  return graph.dims.empty()
             ? ", 0, NULL"
             : ", " + std::to_string(graph.dims.size()) + ", kgenrt_" + graph.name + "_dims";
}

std::string versionTable(const GraphInterface &graph) {
  std::string rows;
  for (const GraphInterface &version : graph.versions)
    for (const DimSymbol &dim : graph.dims) {
      auto size = version.sizes.find(dim.name);
      rows += (rows.empty() ? "" : ", ") +
              (size == version.sizes.end() ? "(size_t)-1" : std::to_string(size->second));
    }
  return rows.empty()
             ? ""
             : "static const size_t kgenrt_" + graph.name + "_versions[] = {" + rows + "};\n";
}

/// The members of a function's row that only libraries with versions have.
std::string versionsOf(const LibraryInterface &library, const GraphInterface &graph) {
  if (!hasVersions(library))
    return "";
  return graph.versions.empty() ? ", 0, NULL"
                                : ", " + std::to_string(graph.versions.size()) + ", kgenrt_" +
                                      graph.name + "_versions";
}

/// The sizes of its tensors that are no numbers.
std::string shapeCase(const GraphInterface &graph, size_t index) {
  SizeNames names = elementNames(graph, "sizes");
  std::string tensors;
  size_t number = 0;
  const GraphInterface passed = withoutState(graph);
  for (const auto *list : {&passed.inputs, &passed.outputs})
    for (const TensorInterface &tensor : *list) {
      std::string lines;
      for (size_t i = 0; i < tensor.type.shape.size(); ++i)
        if (Dim dim = tensor.type.shape.dim(i); !dim.isNumber())
          lines += "      shape[" + std::to_string(i) + "] = " + sizeExpression(dim, names) + ";\n";
      if (!lines.empty())
        tensors += "    case " + std::to_string(number) + ":\n" + lines + "      break;\n";
      ++number;
    }
  if (tensors.empty())
    return "";
  return "  case " + std::to_string(index) + ":\n    switch (tensor) {\n" + tensors +
         "    default:\n      break;\n    }\n    break;\n";
}

/// ", sizes[0], sizes[1]": all, or those that callers give.
std::string sizeArguments(const GraphInterface &graph, bool givenOnly) {
  std::string text;
  for (size_t i = 0; i < graph.dims.size(); ++i)
    if (!givenOnly || graph.dims[i].state.empty())
      text += ", sizes[" + std::to_string(i) + "]";
  return text;
}

std::string workspaceCase(const LibraryInterface &library, const GraphInterface &graph,
                          size_t index) {
  return "  case " + std::to_string(index) + ":\n    return " + library.name + "_" + graph.name +
         "_workspace_size(context" + sizeArguments(graph, /*givenOnly=*/false) + ");\n";
}

std::string functionRow(const LibraryInterface &library, const GraphInterface &graph) {
  auto table = [&](const char *group, const std::vector<TensorInterface> &tensors) {
    std::string name = tensors.empty() ? "NULL" : "kgenrt_" + graph.name + group;
    return std::to_string(tensors.size()) + ", " + name;
  };
  const GraphInterface passed = withoutState(graph);
  return "  {" + cString(graph.name) + ", " + table("_inputs", passed.inputs) + ", " +
         table("_outputs", passed.outputs) + ", " + upperCase(library.name + "_" + graph.name) +
         "_WORKSPACE_SIZE" + dimsOf(library, graph) + versionsOf(library, graph) +
         (library.states.empty() ? ""
          : usesState(graph)     ? ", 1"
                                 : ", 0") +
         "},\n";
}

/// The casts are for C++, where `void *` becomes no other pointer by itself.
std::string callCase(const LibraryInterface &library, const GraphInterface &graph, size_t index) {
  std::string arguments;
  size_t inputs = 0, outputs = 0;
  for (const CallerParameter &p : callerParameters(library, graph))
    if (!p.tensor)
      arguments += p.name + ", ";
    else
      arguments += "(" + p.tensor->cType + ")" +
                   (p.tensor->isInput ? "inputs[" + std::to_string(inputs++)
                                      : "outputs[" + std::to_string(outputs++)) +
                   "], ";
  return "  case " + std::to_string(index) + ":\n    return " + library.name + "_" + graph.name +
         "(context" + sizeArguments(graph, /*givenOnly=*/true) + ", " + arguments +
         "workspace, workspace_size);\n";
}

std::string sizeFunctionsText(const LibraryInterface &library) {
  std::string shapes, workspaces;
  for (size_t i = 0; i < library.graphs.size(); ++i) {
    shapes += shapeCase(library.graphs[i], i);
    workspaces += workspaceCase(library, library.graphs[i], i);
  }
  return fillTemplate(sizeTemplate, {{"library", library.name},
                                     {"LIBRARY", upperCase(library.name)},
                                     {"shape_cases", shapes},
                                     {"workspace_cases", workspaces}});
}
} // namespace

std::string emitIntrospection(const LibraryInterface &library) {
  std::string tensors, functions, cases;
  for (size_t i = 0; i < library.graphs.size(); ++i) {
    const GraphInterface &graph = library.graphs[i];
    const GraphInterface passed = withoutState(graph);
    tensors += tensorTable(library, graph.name + "_inputs", passed.inputs);
    tensors += tensorTable(library, graph.name + "_outputs", passed.outputs) +
               dimTable(library, graph) + versionTable(graph) + "\n";
    functions += functionRow(library, graph);
    cases += callCase(library, graph, i);
  }
  const bool hasSizes = takesSizes(library);
  std::string given =
      hasSizes ? fillTemplate(sizesGiven, {{"LIBRARY", upperCase(library.name)}}) : "";
  return fillTemplate(
             introspectionTemplate,
             {{"library", library.name},
              {"call_state", library.states.empty() ? "" : "void *state, size_t state_size, "},
              {"of_sizes", hasSizes ? sizeFunctionsText(library) : ""},
              {"call_sizes", hasSizes ? "const size_t *sizes, " : ""},
              {"sizes_given", given},
              {"LIBRARY", upperCase(library.name)},
              {"tensors", tensors},
              {"functions", functions},
              {"cases", cases}}) +
         stateFunctions(library);
}

} // namespace kgen
