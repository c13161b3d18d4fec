// A case as a library spec's graph: inputs, weights with literal values, nodes.
#include "OperatorCases.h"
#include "ingress/yaml/BuildGraph.h"

#include "driver/load/Sizes.h"
#include "driver/run/TensorBytes.h"
#include "ops/Registry.h"

#include <llvm/ADT/APFloat.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace kgen::tests {
namespace {

template <typename T> T element(const std::vector<char> &bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

double asDouble(const llvm::fltSemantics &type, uint16_t bits) {
  return llvm::APFloat(type, llvm::APInt(16, bits)).convertToDouble();
}

WeightFromValue literal(const CaseTensor &tensor) {
  WeightFromValue value;
  for (int64_t i = 0; i < tensor.type.elementCount(); ++i) {
    int64_t integer = 0;
    double real = 0;
    switch (tensor.type.element) {
    case ElementType::f32:
      real = element<float>(tensor.bytes, i);
      break;
    case ElementType::f64:
      real = element<double>(tensor.bytes, i);
      break;
    case ElementType::bf16:
      real = asDouble(llvm::APFloat::BFloat(), element<uint16_t>(tensor.bytes, i));
      break;
    case ElementType::f16:
      real = asDouble(llvm::APFloat::IEEEhalf(), element<uint16_t>(tensor.bytes, i));
      break;
    case ElementType::f8e4m3fn:
    case ElementType::f8e5m2:
      real = elementAt(tensor.type, tensor.bytes.data(), i);
      break;
    default:
      integer = integerAt(tensor.type, tensor.bytes.data(), i);
    }
    if (isFloat(tensor.type.element)) {
      value.numbers.push_back(real);
    } else {
      value.numbers.push_back(static_cast<double>(integer));
      value.integers.push_back(integer);
    }
  }
  return value;
}

std::string inputName(const OperatorCase &c, size_t i) {
  const CaseInput &input = c.inputs[i];
  return input.skipped ? "" : "x" + std::to_string(input.sameAs < 0 ? i : input.sameAs);
}

NodeSpec nodeSpec(const CaseNode &node) {
  NodeSpec spec;
  spec.name.value = node.name;
  spec.op.value = node.op;
  for (const std::string &output : node.outputs)
    spec.outputs.push_back({output, {}});
  if (node.outputs.empty())
    spec.outputs = {spec.name};
  for (const auto &[name, value] : node.attributes)
    spec.attributes[name].value = value;
  for (const std::string &input : node.inputs)
    spec.inputs.push_back({input, {}});
  return spec;
}

/// The name of a result of the only node.
std::string resultName(size_t i) { return i == 0 ? "result" : "result" + std::to_string(i); }

/// The nodes as written, or the only one: it takes all inputs.
std::vector<NodeSpec> nodeSpecs(const OperatorCase &c) {
  std::vector<NodeSpec> specs;
  for (const CaseNode &node : c.nodes)
    specs.push_back(nodeSpec(node));
  if (c.outputs.empty()) {
    CaseNode only{"result", c.op, {}, c.attributes, {}};
    for (size_t i = 0; i < c.inputs.size(); ++i)
      only.inputs.push_back(inputName(c, i));
    for (size_t i = 0; i < c.expected.size(); ++i)
      only.outputs.push_back(resultName(i));
    specs.push_back(nodeSpec(only));
  }
  return specs;
}

/// The case as a spec; dimensions of inputs that have `size` are the symbol, if there is one.
GraphSpec graphSpec(const OperatorCase &c, const std::vector<size_t> &weights,
                    const std::shared_ptr<const DimSymbol> &symbol, int64_t size) {
  GraphSpec spec;
  spec.name.value = "case";
  spec.nodes = nodeSpecs(c);
  spec.compute = c.compute;
  spec.accumulate.value = c.accumulate;
  // Filters that come as inputs are not transformed.
  spec.winograd.value = weights.empty() ? 0 : c.winograd;
  if (symbol)
    spec.dims.push_back(symbol);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const CaseInput &input = c.inputs[i];
    Located<std::string> name{inputName(c, i), {}};
    if (input.skipped || input.sameAs >= 0)
      continue;
    if (std::find(weights.begin(), weights.end(), i) != weights.end()) {
      spec.weights.push_back({name, {input.tensor.type, {}}, literal(input.tensor), {}});
      if (auto found = c.quantize.find(i); found != c.quantize.end())
        spec.weights.back().quantize = found->second;
      continue;
    }
    TensorType type = input.tensor.type;
    for (size_t d = 0; symbol && d < type.shape.size(); ++d)
      if (input.tensor.type.shape[d] == size)
        type.shape.setDim(d, Dim(symbol));
    spec.inputs.push_back({name, {type, {}}});
  }
  for (const std::string &output : c.outputs)
    spec.outputs.push_back({output, {}});
  for (size_t i = 0; c.outputs.empty() && i < c.expected.size(); ++i)
    spec.outputs.push_back({resultName(i), {}});
  return spec;
}

/// The size of dimension `axis`, from the end if it is negative, of the first input that is passed
/// and has dimensions; 0 if it does not have that one.
int64_t sizeOfAxis(const OperatorCase &c, const std::vector<size_t> &weights, int64_t axis) {
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const CaseInput &input = c.inputs[i];
    bool isPassed = !input.skipped && input.sameAs < 0 &&
                    std::find(weights.begin(), weights.end(), i) == weights.end();
    const auto rank = static_cast<int64_t>(input.tensor.type.shape.size());
    const int64_t d = axis < 0 ? axis + rank : axis;
    if (isPassed && rank > 0)
      return d >= 0 && d < rank ? input.tensor.type.shape[d] : 0;
  }
  return 0;
}

TensorType inferredType(const Graph &graph, size_t output, const SizeValues &sizes) {
  return atSizes(graph.values[graph.outputs[output]].type, sizes);
}

bool hasInferredTypes(const OperatorCase &c, const Graph &graph, const SizeValues &sizes) {
  for (size_t i = 0; i < c.expected.size(); ++i)
    if (inferredType(graph, i, sizes) != c.expected[i].type)
      return false;
  return true;
}

void checkInferred(const OperatorCase &c, const Graph &graph) {
  for (size_t i = 0; i < c.expected.size(); ++i) {
    TensorType inferred = inferredType(graph, i, {});
    if (inferred != c.expected[i].type)
      throw std::runtime_error(c.op + " " + c.name + ": inferred " + inferred.str() +
                               ", expected " + c.expected[i].type.str());
  }
}

} // namespace

Graph caseGraph(const OperatorCase &c, const std::vector<size_t> &weights) {
  Diagnostics diagnostics;
  auto graph = buildGraph(graphSpec(c, weights, nullptr, 0), builtInOperators(), diagnostics);
  if (!graph)
    throw std::runtime_error(c.op + " " + c.name + " is refused: " + diagnostics.str());
  checkInferred(c, *graph);
  return std::move(*graph);
}

std::optional<SymbolicCase> symbolicCaseGraph(const OperatorCase &c,
                                              const std::vector<size_t> &weights, int64_t axis) {
  const int64_t size = sizeOfAxis(c, weights, axis);
  if (size == 0)
    return std::nullopt;
  // So that the case's size is neither the least nor the greatest, and Softmax, which leaves out
  // weights by the greatest, has those of the case.
  auto symbol = std::make_shared<DimSymbol>(DimSymbol{"n", 0, size + 1, 1});
  Diagnostics diagnostics;
  auto graph = buildGraph(graphSpec(c, weights, symbol, size), builtInOperators(), diagnostics);
  if (!graph)
    return std::nullopt;
  // If it has one element, that is not known: Squeeze keeps the dimension.
  if (!hasInferredTypes(c, *graph, {{"n", size}}))
    return std::nullopt;
  return SymbolicCase{std::move(*graph), size};
}

} // namespace kgen::tests
