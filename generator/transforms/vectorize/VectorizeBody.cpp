#include "transforms/vectorize/VectorizeBody.h"

#include "dialect/kgen/PackedBytes.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

int64_t widestBits(linalg::GenericOp op, llvm::function_ref<bool(Value)> isSkipped) {
  int64_t bits = 8;
  auto include = [&](Value inBody, Type type) {
    Type element = getElementTypeOrSelf(type);
    if (element.isIntOrFloat() && (!isSkipped || !isSkipped(inBody)))
      bits = std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
  };
  for (OpOperand &operand : op->getOpOperands())
    include(op.getMatchingBlockArgument(&operand), operand.get().getType());
  for (Operation &inner : op.getBody()->without_terminator())
    for (Value result : inner.getResults())
      include(result, result.getType());
  return bits;
}

Value broadcastToLanes(OpBuilder &b, Location loc, Value value, int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, loc, VectorType::get({width}, value.getType()), value);
}

Value vectorizeBody(
    OpBuilder &b, Location loc, Block &body, IRMapping &values, int64_t width,
    llvm::function_ref<Value(Operation &, llvm::function_ref<Value(Value)>)> instead) {
  auto widened = [&](Value value) {
    return broadcastToLanes(b, loc, values.lookupOrDefault(value), width);
  };
  for (Operation &inner : body.without_terminator()) {
    if (Value other = instead ? instead(inner, widened) : Value()) {
      values.map(inner.getResult(0), other);
      continue;
    }
    bool isConstant = inner.hasTrait<OpTrait::ConstantLike>();
    for (Value operand : inner.getOperands())
      values.map(operand, widened(operand));
    Operation *clone = b.clone(inner, values);
    dropOverflowFlags(clone);
    for (auto [old, result] : llvm::zip(inner.getResults(), clone->getResults())) {
      if (!isConstant)
        result.setType(VectorType::get({width}, result.getType()));
      values.map(old, result);
    }
  }
  return widened(body.getTerminator()->getOperand(0));
}

} // namespace kgen
