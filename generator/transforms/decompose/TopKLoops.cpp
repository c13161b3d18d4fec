// The first elements along an axis, in order: which of two lowerings, and what they share. Elements
// are compared as integers of the same order.
#include "transforms/decompose/TopKLoops.h"

#include "dialect/tpp/Scalars.h"

using namespace mlir;

namespace kgen {
namespace top_k {

Value here(OpBuilder &b, Location loc, unsigned loop) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, loop));
}
Value number(OpBuilder &b, Location loc, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}
Value compare(OpBuilder &b, Location loc, Order how, Value l, Value r) {
  return arith::CmpIOp::create(b, loc, how, l, r);
}

Type keyType(Type element) {
  return IntegerType::get(element.getContext(),
                          std::max(32u, accumulatorOf(element).getIntOrFloatBitWidth()));
}

Value keyOf(TopKOp op, OpBuilder &b, Location loc, Value element) {
  Value result = tpp::scalar::ordered(b, loc, element, op.getIsUnsigned());
  unsigned width = result.getType().getIntOrFloatBitWidth();
  if (op.getSmallest())
    result = arith::XOrIOp::create(b, loc, result,
                                   number(b, loc, result.getType(), APInt::getAllOnes(width)));
  return result;
}

} // namespace top_k

DecomposedOp buildTopK(OpBuilder &b, TopKOp op) {
  RankedTensorType type = op.getInputType();
  int64_t size = type.getDimSize(op.getDimensions().front());
  const Heuristics &limits = cpuOf(op).heuristics;
  bool isShort = type.hasStaticShape() && size <= limits.maxTopKRow &&
                 type.getNumElements() >= limits.minTopKRows * size;
  return isShort ? buildTopKOfShortRows(b, op) : buildTopKOfLongRows(b, op);
}

} // namespace kgen
