// kgen.rotary_embedding: its verifier, its shape, and what it is by definition.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

/// Cosines and sines have some dimensions of the input, and one of pairs that a row holds.
static LogicalResult verifyAngles(RotaryEmbeddingOp op) {
  RankedTensorType input = op.getInputType(), angles = op.getAngleType();
  if (input.getRank() == 0 || ShapedType::isDynamic(input.getShape().back()))
    return op.emitOpError() << "has rows of a known length, found " << input;
  SmallVector<int64_t> shape;
  for (auto [i, d] : llvm::enumerate(op.getDimensions())) {
    if (d < 0 || d >= input.getRank() - 1 ||
        llvm::is_contained(op.getDimensions().take_front(i), d))
      return op.emitOpError() << "'dimensions' must differ and be less than " << input.getRank() - 1
                              << ", that of rows, found " << d;
    shape.push_back(input.getDimSize(d));
  }
  if (angles.getRank() == 0 || angles.getShape().drop_back() != ArrayRef(shape))
    return op.emitOpError()
           << "needs cosines with 'dimensions' of its input and one of pairs, found " << angles;
  int64_t last = angles.getShape().back(), size = input.getShape().back();
  bool isEachElement = op.getEachElement();
  if (ShapedType::isDynamic(last) ||
      (isEachElement ? last > size || last % 2 != 0 : 2 * last > size))
    return op.emitOpError() << "needs cosines of "
                            << (isEachElement ? "an even number of elements" : "pairs")
                            << " that a row of " << size << " holds, found " << angles;
  auto sines = cast<RankedTensorType>(op.getSines().getType());
  if (sines.getShape() != angles.getShape())
    return op.emitOpError() << "has cosines " << angles << " and sines " << sines
                            << ": they are of one shape";
  return success();
}

LogicalResult RotaryEmbeddingOp::verify() {
  if (getResultType().getShape() != getInputType().getShape())
    return emitOpError() << "has a result of the shape of its input, found " << getResultType();
  Type compute = accumulatorOf(getInputType().getElementType());
  for (Value value : {getCosines(), getSines(), getResult()})
    if (Type element = getElementTypeOrSelf(value.getType()); accumulatorOf(element) != compute)
      return emitOpError() << "computes with " << element << " and "
                           << getInputType().getElementType() << ": all are f64, or none";
  return verifyAngles(*this);
}

LogicalResult RotaryEmbeddingOp::reifyResultShapes(OpBuilder &b,
                                                   ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOf(b, getLoc(), getInput()));
  return success();
}

/// For each element: its number in the row says which pair it is of, and which of the two.
FailureOr<SmallVector<Value>> RotaryEmbeddingOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  unsigned rank = getInputType().getRank();
  Type element = getResultType().getElementType(), compute = accumulatorOf(element);
  int64_t pairs = numPairs();
  AffineMap all = b.getMultiDimIdentityMap(rank);
  Value out = emptyTensor(b, getLoc(), sizesOf(b, getLoc(), getInput()), element);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value at = linalg::IndexOp::create(b, loc, rank - 1);
    Value pair = getInterleaved() ? arith::DivUIOp::create(b, loc, at, index(2)).getResult()
                                  : arith::RemUIOp::create(b, loc, at, index(pairs)).getResult();
    Value isSecond =
        getInterleaved()
            ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                    arith::RemUIOp::create(b, loc, at, index(2)), index(0))
            : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, at, index(pairs));
    int64_t distance = getInterleaved() ? 1 : pairs;
    Value other = arith::SelectOp::create(b, loc, isSecond,
                                          arith::SubIOp::create(b, loc, at, index(distance)),
                                          arith::AddIOp::create(b, loc, at, index(distance)));
    // Elements beyond the pairs read some pair, and do not use it.
    Value isRotated =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, index(2 * pairs));
    auto inside = [&](Value i) -> Value {
      return arith::SelectOp::create(b, loc, isRotated, i, index(0));
    };
    SmallVector<Value> row, ofAngles;
    for (unsigned d = 0; d + 1 < rank; ++d)
      row.push_back(linalg::IndexOp::create(b, loc, d));
    for (int64_t d : getDimensions())
      ofAngles.push_back(row[d]);
    row.push_back(inside(other));
    ofAngles.push_back(inside(getEachElement() ? at : pair));
    auto read = [&](Value tensor, ValueRange indices) {
      return inFloatType(b, loc, tensor::ExtractOp::create(b, loc, tensor, indices), compute);
    };
    Value own = arith::MulFOp::create(b, loc, v[0], read(getCosines(), ofAngles));
    Value turned = arith::MulFOp::create(b, loc, read(getInput(), row), read(getSines(), ofAngles));
    Value sum = arith::AddFOp::create(b, loc, turned, own);
    Value difference = arith::SubFOp::create(b, loc, own, turned);
    Value rotated = arith::SelectOp::create(b, loc, isSecond, sum, difference);
    return arith::SelectOp::create(b, loc, isRotated, rotated, v[0]);
  };
  if (pairs == 0)
    return SmallVector<Value>{build.generic(
        out, getInput(), {all, all}, [](OpBuilder &, Location, ValueRange v) { return v[0]; })};
  return SmallVector<Value>{build.generic(out, getInput(), {all, all}, body)};
}

} // namespace kgen
