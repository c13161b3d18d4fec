// With one scale for each row of A and each column of B, the product of (a - za) * sa and
// (b - zb) * sb is (sa * sb) times a sum of integers, which is exact and several times as fast.
#include "ops/DequantizedProduct.h"

#include "ops/TypeRules.h"
#include "ops/ZeroPoints.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr size_t inputsOfProduct = 3; // two matrices and C

Side sideOf(bool isLeft, bool isTransposed) {
  return isLeft ? Side{0, 3, 4, true, isTransposed} : Side{1, 5, 6, false, isTransposed};
}

bool isSet(const Node &node, const char *attribute) {
  auto found = node.attributes.find(attribute);
  return found != node.attributes.end() && std::get<int64_t>(found->second) != 0;
}

/// Whether the node makes a matrix of f32 of bytes with one scale, or one for each index of the
/// dimension that is not summed over.
bool fits(const Graph &graph, const Node *node, bool isLeft, bool isTransposed) {
  if (!node || node->op->name != "DequantizeLinear" ||
      std::get<int64_t>(node->attributes.at("block_size")) != 0)
    return false;
  const TensorType &bytes = graph.values[node->inputs[0]].type,
                   &scale = graph.values[node->inputs[1]].type;
  auto rank = static_cast<int64_t>(bytes.shape.size());
  if (byteWidth(bytes.element) != 1 || scale.element != ElementType::f32 || rank < 2)
    return false;
  int64_t axis = std::get<int64_t>(node->attributes.at("axis"));
  return scale.elementCount() == 1 ||
         (axis < 0 ? axis + rank : axis) == rank - (isLeft != isTransposed ? 2 : 1);
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
  bool isGemm = node.op->name == "Gemm";
  if ((!isGemm && node.op->name != "MatMul") || graph.compute != ElementType::f32)
    return std::nullopt;
  bool transA = isSet(node, "transA"), transB = isSet(node, "transB");
  const Node *left = producers[node.inputs[0]], *right = producers[node.inputs[1]];
  if (!fits(graph, left, true, transA) || !fits(graph, right, false, transB))
    return std::nullopt;
  // Sums of k products of at most 255 * 255.
  const std::vector<int64_t> &a = graph.values[left->inputs[0]].type.shape;
  if (a[a.size() - (transA ? 2 : 1)] > std::numeric_limits<int32_t>::max() / (255 * 255))
    return std::nullopt;
  Node result = node;
  result.inputs.resize(inputsOfProduct, noValue);
  for (size_t i : {0, 1}) {
    const Node *source = i == 0 ? left : right;
    result.inputs[i] = source->inputs[0];
    result.inputs.push_back(source->inputs[1]);
    result.inputs.push_back(source->inputs.size() > 2 ? source->inputs[2] : noValue);
  }
  return result;
}

bool multipliesBytes(const InferenceContext &context) {
  return context.inputCount() > inputsOfProduct;
}

Value dequantizedProduct(LoweringContext &c, bool transA, bool transB) {
  Side left = sideOf(true, transA), right = sideOf(false, transB);
  Value sums = integerProduct(c, left, right);
  SmallVector<Value> operands = {sums};
  operands.append(scaleFactors(c, left, right));
  auto type = cast<RankedTensorType>(sums.getType()).clone(c.b.getF32Type());
  return c.elementwise(type, operands, [](OpBuilder &b, mlir::Location loc, ValueRange v) {
    Value factor = v.size() > 2 ? arith::MulFOp::create(b, loc, v[1], v[2]).getResult() : v[1];
    Value sum = arith::SIToFPOp::create(b, loc, b.getF32Type(), v[0]);
    return arith::MulFOp::create(b, loc, sum, factor).getResult();
  });
}

} // namespace kgen
