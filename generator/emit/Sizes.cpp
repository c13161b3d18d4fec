#include "emit/Sizes.h"

#include <cassert>
#include <cstdlib>
#include <limits>
#include <memory>

namespace kgen {
namespace {

std::string declarations(const std::vector<SizeParameter> &sizes) {
  std::string text;
  for (const SizeParameter &size : sizes)
    text += (text.empty() ? "" : ", ") + size.declaration();
  return text;
}

std::string takesSizesFunction(const LibraryInterface &library, const GraphInterface &graph) {
  std::vector<SizeParameter> sizes = sizeParameters(library, graph);
  std::string refused;
  for (const SizeParameter &size : sizes)
    refused += (refused.empty() ? "" : " || ") + refusedSize(size);
  return "static int " + takesSizesName(graph) + "(" + declarations(sizes) + ") {\n  return !(" +
         refused + ");\n}\n";
}

/// Returns what the code for a target needs, as an expression of sizes.
std::string workspaceText(const GraphInterface &graph, const std::string &target,
                          const SizeNames &names) {
  if (graph.dims.empty())
    return std::to_string(graph.workspaceBytes.at(target));
  std::string greatest;
  for (const Dim &bytes : graph.workspaceSizes.at(target)) {
    std::string one = sizeExpression(bytes, names);
    greatest = greatest.empty() ? one : "kgenrt_greater(" + greatest + ", " + one + ")";
  }
  return greatest.empty() ? "0" : greatest;
}

bool hasSeveral(const GraphInterface &graph, const std::string &target) {
  auto found = graph.workspaceSizes.find(target);
  return found != graph.workspaceSizes.end() && found->second.size() > 1;
}

std::string workspaceBytesFunction(const LibraryInterface &library, const GraphInterface &graph,
                                   const std::string &target) {
  std::vector<SizeParameter> sizes = sizeParameters(library, graph);
  SizeNames names = parameterNames(sizes);
  std::string text =
      "static size_t " + workspaceBytesName(graph, target) + "(" + declarations(sizes) + ") {\n";
  for (const SizeParameter &size : sizes)
    text += "  (void)" + size.name + ";\n";
  for (const GraphInterface &version : graph.versions)
    text += "  if (" + versionCondition(version, names) + ")\n    return " +
            workspaceText(version, target, names) + ";\n";
  return text + "  return " + workspaceText(graph, target, names) + ";\n}\n";
}

} // namespace

std::string refusedSize(const SizeParameter &size) {
  std::string text;
  auto add = [&](const std::string &condition) {
    text += (text.empty() ? "" : " || ") + size.name + condition;
  };
  if (size.dim.min > 0)
    add(" < " + std::to_string(size.dim.min));
  add(" > " + std::to_string(size.dim.max));
  if (size.dim.multiple > 1)
    add(" % " + std::to_string(size.dim.multiple) + " != 0");
  return text;
}

SizeNames parameterNames(const std::vector<SizeParameter> &parameters) {
  SizeNames names;
  for (const SizeParameter &parameter : parameters)
    names[parameter.dim.name] = parameter.name;
  return names;
}

SizeNames elementNames(const GraphInterface &graph, const std::string &array) {
  SizeNames names;
  for (size_t i = 0; i < graph.dims.size(); ++i)
    names[graph.dims[i].name] = array + "[" + std::to_string(i) + "]";
  return names;
}

/// A factor once: its powers are written as products.
static std::string factorText(const DimFactor &factor, const SizeNotation &notation) {
  if (factor.symbol)
    return notation.names.at(factor.symbol->name);
  assert(factor.dividend.bounds().min >= 0 && "factors of a dividend are remainders");
  return "((" + sizeText(factor.dividend, notation) + ")" + notation.division +
         std::to_string(factor.divisor) + ")";
}

std::string sizeText(const Dim &dim, const SizeNotation &notation) {
  std::string text;
  for (const DimTerm &term : dim.sum()) {
    std::string product;
    for (const DimFactor &factor : term.factors)
      for (int power = 0; power < factor.power; ++power)
        product += (product.empty() ? "" : "*") + factorText(factor, notation);
    const int64_t size = std::abs(term.coefficient);
    if (product.empty() || size != 1)
      product = std::to_string(size) + (product.empty() ? "" : "*" + product);
    // Not as a negative number, which C would convert.
    if (term.coefficient < 0)
      text += (text.empty() ? "0 - " : " - ") + product;
    else
      text += (text.empty() ? "" : " + ") + product;
  }
  return text.empty() ? "0" : text;
}

std::string sizeExpression(const Dim &dim, const SizeNames &names) {
  assert(dim.bounds().max < std::numeric_limits<int64_t>::max() && "tensors are bounded");
  std::string text = sizeText(dim, {names, "/"});
  return dim.isNumber() ? text : "(" + text + ")";
}

std::optional<size_t> axisOf(const TensorType &type, const DimSymbol &dim) {
  const Dim wanted(std::make_shared<DimSymbol>(dim));
  for (size_t axis = 0; axis < type.shape.size(); ++axis)
    if (type.shape.dim(axis) == wanted)
      return axis;
  return std::nullopt;
}

std::optional<SizePlace> placeOf(const GraphInterface &graph, const DimSymbol &dim) {
  for (size_t input = 0; input < graph.inputs.size(); ++input)
    if (std::optional<size_t> axis = axisOf(graph.inputs[input].type, dim))
      return SizePlace{input, *axis};
  return std::nullopt;
}

int64_t largestByteCount(const TensorType &type) {
  return (type.shape.elements() * Dim(static_cast<int64_t>(byteWidth(type.element)))).bounds().max;
}

std::string versionCondition(const GraphInterface &version, const SizeNames &names) {
  std::string text;
  for (const auto &[name, size] : version.sizes)
    text += (text.empty() ? "" : " && ") + names.at(name) + " == " + std::to_string(size);
  return text;
}

std::string takesSizesName(const GraphInterface &graph) { return "kgenrt_takes_" + graph.name; }

std::string workspaceBytesName(const GraphInterface &graph, const std::string &target) {
  return "kgenrt_bytes_" + graph.name + "_" + cIdentifier(target);
}

std::string sizeFunctions(const LibraryInterface &library) {
  if (!takesSizes(library))
    return "";
  std::string text = "\n/* Sizes that are allowed, and the bytes of workspace that a variant needs "
                     "for them at 64-byte alignment */\n",
              functions;
  bool comparesSizes = false;
  for (const GraphInterface &graph : library.graphs) {
    if (graph.dims.empty())
      continue;
    functions += takesSizesFunction(library, graph);
    for (const VariantInterface &variant : variantsByRank(library)) {
      comparesSizes |= hasSeveral(graph, variant.target);
      for (const GraphInterface &version : graph.versions)
        comparesSizes |= hasSeveral(version, variant.target);
      functions += workspaceBytesFunction(library, graph, variant.target);
    }
  }
  if (comparesSizes)
    text += "static size_t kgenrt_greater(size_t a, size_t b) { return a > b ? a : b; }\n";
  return text + functions;
}

} // namespace kgen
