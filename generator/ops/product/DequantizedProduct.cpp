// With one scale for each row of A and each column of B, the product of (a - za) * sa and
// (b - zb) * sb is (sa * sb) times a sum of integers, which is exact and several times as fast. A
// convolution is such a product, where an image has one scale, and a filter one for each channel of
// the result.
#include "ops/product/DequantizedProduct.h"

#include "dialect/kgen/TypeSizes.h"
#include "dialect/kgen/WindowLimits.h"
#include "ops/TypeRules.h"
#include "ops/quantization/ByteProduct.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr size_t inputsOfProduct = 3; // two matrices and C, or image, filter and bias

Side sideOf(bool isLeft, bool isTransposed) {
  return isLeft ? Side{0, 3, 4, true, isTransposed} : Side{1, 5, 6, false, isTransposed};
}

bool isSet(const Node &node, const char *attribute) {
  auto found = node.attributes.find(attribute);
  return found != node.attributes.end() && std::get<int64_t>(found->second) != 0;
}

bool isDequantization(const Node *node) { return node && node->op->name == "DequantizeLinear"; }

/// True if the node makes a tensor of f32 of bytes with one scale, or one for each index of `axis`.
bool fits(const Graph &graph, const Node *node, int64_t axis) {
  if (!isDequantization(node) || std::get<int64_t>(node->attributes.at("block_size")) != 0)
    return false;
  const TensorType &bytes = graph.values[node->inputs[0]].type,
                   &scale = graph.values[node->inputs[1]].type;
  auto rank = static_cast<int64_t>(bytes.shape.size());
  if (byteWidth(bytes.element) != 1 || isFloat8(bytes.element) ||
      scale.element != ElementType::f32 || rank < 2)
    return false;
  int64_t given = std::get<int64_t>(node->attributes.at("axis"));
  return scale.elementCount() == 1 || (given < 0 ? given + rank : given) == axis;
}

/// A matrix, and the dimension that is not summed over.
bool fits(const Graph &graph, const Node *node, bool isLeft, bool isTransposed) {
  if (!isDequantization(node)) // others may skip their first result
    return false;
  auto rank = static_cast<int64_t>(graph.values[node->outputs[0]].type.shape.size());
  return fits(graph, node, rank - (isLeft != isTransposed ? 2 : 1));
}

/// The bytes of a weight, or nothing.
WeightData weightOf(const Graph &graph, ValueId id) { return graph.values[id].data; }

/// The number of a zero point, or nothing.
ValueId zeroPointOf(const Node &node) { return node.inputs.size() > 2 ? node.inputs[2] : noValue; }

/// True if the zero point is known, so that it can be what stands around an image.
bool hasKnownZeroPoint(const Graph &graph, const Node &image) {
  ValueId zero = zeroPointOf(image);
  return zero == noValue || weightOf(graph, zero);
}

/// True if all zero points are known to be 0.
bool isAroundZero(const Graph &graph, const Node &node) {
  ValueId zero = zeroPointOf(node);
  return zero == noValue || isZero(weightOf(graph, zero));
}

/// True if the filter is known, and all its zero points are 0, as they are wherever filters are
/// quantized by channel.
bool isKnownAroundZero(const Graph &graph, const Node &filter) {
  return weightOf(graph, filter.inputs[0]) && isAroundZero(graph, filter);
}

/// True if the sizes are numbers, but for rows of A that need no sums of their own.
bool hasFittingSizes(const Graph &graph, const Node &left, const Node &right, bool transA) {
  auto fits = [&](const Node &side, bool isLeft, bool isTransposed) {
    const TensorShape &shape = graph.values[side.inputs[0]].type.shape;
    return llvm::all_of(llvm::seq<size_t>(0, shape.size()), [&](size_t d) {
      return !shape.isSymbolic(d) ||
             (!isTransposed &&
              refusalOfSize(isLeft, d, shape.size(), isAroundZero(graph, right)).empty());
    });
  };
  return fits(left, /*isLeft=*/true, transA) && fits(right, /*isLeft=*/false, false);
}

/// True if a Conv of these is a product of bytes.
bool convolvesBytes(const Graph &graph, const Node &conv, const Node *image, const Node *filter) {
  constexpr int64_t nowhere = -1;
  if (!fits(graph, image, nowhere) || !fits(graph, filter, 0) ||
      !hasKnownZeroPoint(graph, *image) || !isKnownAroundZero(graph, *filter))
    return false;
  const TensorType &type = graph.values[conv.inputs[1]].type;
  return multipliesBytes(type.shape, std::get<int64_t>(conv.attributes.at("group"))) &&
         type.elementCount() / type.shape[0] <= maxByteProducts;
}

/// True if a MatMul or Gemm of these is.
bool multipliesBytes(const Graph &graph, const Node &product, const Node *left, const Node *right) {
  bool isGemm = product.op->name == "Gemm";
  if (!isGemm && product.op->name != "MatMul")
    return false;
  bool transA = isSet(product, "transA"), transB = isSet(product, "transB");
  if (!fits(graph, left, true, transA) || !fits(graph, right, false, transB))
    return false;
  if (!hasFittingSizes(graph, *left, *right, transA))
    return false;
  const TensorShape &a = graph.values[left->inputs[0]].type.shape;
  return a[a.size() - (transA ? 2 : 1)] <= maxByteProducts;
}

} // namespace

Producers producersOf(const Graph &graph) {
  Producers producers(graph.values.size(), nullptr);
  for (const Node &node : graph.nodes)
    for (ValueId id : node.outputs)
      if (id != noValue)
        producers[id] = &node;
  return producers;
}

std::optional<Node> withBytes(const Graph &graph, const Producers &producers, const Node &node) {
  if (graph.compute != ElementType::f32 || node.op->factors != 2)
    return std::nullopt;
  const Node *left = producers[node.inputs[0]], *right = producers[node.inputs[1]];
  if (node.op->name == "Conv" ? !convolvesBytes(graph, node, left, right)
                              : !multipliesBytes(graph, node, left, right))
    return std::nullopt;
  Node result = node;
  result.inputs.resize(inputsOfProduct, noValue);
  for (size_t i : {0, 1}) {
    const Node *source = i == 0 ? left : right;
    result.inputs[i] = source->inputs[0];
    result.inputs.push_back(source->inputs[1]);
    result.inputs.push_back(zeroPointOf(*source));
  }
  return result;
}

bool multipliesBytes(const TensorShape &filter, int64_t group) {
  if (filter[1] > 1)
    return true;
  int64_t taps = 1;
  for (size_t d = 2; d < filter.size(); ++d)
    taps *= filter[d];
  return filter[0] == group && taps <= maxWindowTaps;
}

bool multipliesBytes(const InferenceContext &context) {
  return context.inputCount() > inputsOfProduct;
}

Value dequantizedProduct(LoweringContext &c, bool transA, bool transB) {
  return byteProduct(c, sideOf(true, transA), sideOf(false, transB));
}

ConvolutionOfBytes bytesOfConvolution(LoweringContext &c) {
  Side image = sideOf(true, false), filter = sideOf(false, false);
  ConvolutionOfBytes bytes;
  if (c.hasInput(image.zeroPoint)) {
    bytes.zeroOfImage = c.operand(image.zeroPoint);
    bytes.zero = c.constantIntegers(image.zeroPoint)->front();
  }
  bytes.scaleOfImage = c.operand(image.scale);
  bytes.scalesOfFilter = c.operand(filter.scale);
  return bytes;
}

} // namespace kgen
