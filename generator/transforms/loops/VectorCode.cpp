#include "transforms/loops/VectorCode.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

Value inAllLanes(OpBuilder &b, Location loc, Value value, int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, loc, VectorType::get({width}, value.getType()), value);
}

Value onVectors(OpBuilder &b, Location loc, Block &body, IRMapping &values, int64_t width,
                llvm::function_ref<Value(Operation &, llvm::function_ref<Value(Value)>)> instead) {
  auto widened = [&](Value value) {
    return inAllLanes(b, loc, values.lookupOrDefault(value), width);
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
    for (auto [old, result] : llvm::zip(inner.getResults(), clone->getResults())) {
      if (!isConstant)
        result.setType(VectorType::get({width}, result.getType()));
      values.map(old, result);
    }
  }
  return widened(body.getTerminator()->getOperand(0));
}

} // namespace kgen
