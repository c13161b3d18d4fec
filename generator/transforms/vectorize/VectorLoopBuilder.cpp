#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {

using Values = SmallVector<Value>;

Values buildFor(OpBuilder &b, Location loc, Value from, Value to, int64_t step, ValueRange inits,
                llvm::function_ref<Values(Value, ValueRange)> body) {
  Value by = arith::ConstantIndexOp::create(b, loc, step);
  auto loop = scf::ForOp::create(b, loc, from, to, by, inits);
  OpBuilder::InsertionGuard guard(b);
  // A loop that carries nothing would come with a terminator; these all carry something.
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

Values buildFor(OpBuilder &b, Location loc, int64_t from, int64_t to, int64_t step,
                ValueRange inits, llvm::function_ref<Values(Value, ValueRange)> body) {
  if (to <= from)
    return Values(inits);
  Value first = arith::ConstantIndexOp::create(b, loc, from);
  if (to - from <= step)
    return body(first, inits);
  Value end = arith::ConstantIndexOp::create(b, loc, to);
  return buildFor(b, loc, first, end, step, inits, body);
}

Values buildFor(OpBuilder &b, Location loc, OpFoldResult from, OpFoldResult to, int64_t step,
                ValueRange inits, llvm::function_ref<Values(Value, ValueRange)> body) {
  std::optional<int64_t> first = getConstantIntValue(from), end = getConstantIntValue(to);
  if (first && end)
    return buildFor(b, loc, *first, *end, step, inits, body);
  return buildFor(b, loc, getValueOrCreateConstantIndexOp(b, loc, from),
                  getValueOrCreateConstantIndexOp(b, loc, to), step, inits, body);
}

Value buildFor(OpBuilder &b, Location loc, OpFoldResult from, OpFoldResult to, int64_t step,
               Value init, llvm::function_ref<Value(Value, Value)> body) {
  auto single = [&](Value i, ValueRange carried) { return Values{body(i, carried.front())}; };
  return buildFor(b, loc, from, to, step, ValueRange(init), single).front();
}

Value buildFor(OpBuilder &b, Location loc, Value from, Value to, int64_t step, Value init,
               llvm::function_ref<Value(Value, Value)> body) {
  auto single = [&](Value i, ValueRange carried) { return Values{body(i, carried.front())}; };
  return buildFor(b, loc, from, to, step, ValueRange(init), single).front();
}

Value buildFor(OpBuilder &b, Location loc, int64_t from, int64_t to, int64_t step, Value init,
               llvm::function_ref<Value(Value, Value)> body) {
  auto single = [&](Value i, ValueRange carried) { return Values{body(i, carried.front())}; };
  return buildFor(b, loc, from, to, step, ValueRange(init), single).front();
}

Value buildVectorLoop(OpBuilder &b, Location loc, int64_t size, ArrayRef<int64_t> widths,
                      Value init, llvm::function_ref<Value(Value, int64_t, Value)> body) {
  int64_t done = 0;
  for (int64_t width : widths) {
    int64_t end = done + (size - done) / width * width;
    init = buildFor(b, loc, done, end, width, init,
                    [&](Value i, Value carried) { return body(i, width, carried); });
    done = end;
  }
  if (done == size)
    return init;
  return body(arith::ConstantIndexOp::create(b, loc, done), size - done, init);
}

Value buildVectorLoop(OpBuilder &b, Location loc, OpFoldResult size, ArrayRef<int64_t> widths,
                      Value init, llvm::function_ref<Value(Value, int64_t, Value)> body,
                      llvm::function_ref<Value(Value, Value, Value)> rest) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return buildVectorLoop(b, loc, *number, widths, init, body);
  SmallVector<int64_t> steps(widths);
  for (int64_t width = widths.back() / 2; !rest && width > 0; width /= 2)
    steps.push_back(width);
  OpFoldResult done = b.getIndexAttr(0);
  for (int64_t width : steps) {
    // Multiples of each width are multiples of the next one.
    OpFoldResult end = wholeSteps(b, loc, size, width);
    init = buildFor(b, loc, done, end, width, init,
                    [&](Value i, Value carried) { return body(i, width, carried); });
    done = end;
  }
  if (!rest)
    return init;
  return buildFor(b, loc, done, size, widths.back(), init, [&](Value i, Value carried) {
    OpFoldResult left = difference(b, loc, size, i);
    return rest(i, getValueOrCreateConstantIndexOp(b, loc, left), carried);
  });
}

OpFoldResult wholeSteps(OpBuilder &b, Location loc, OpFoldResult size, int64_t step) {
  AffineExpr all = b.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(b, loc, all.floorDiv(step) * step, {size});
}

OpFoldResult difference(OpBuilder &b, Location loc, OpFoldResult size, OpFoldResult less) {
  AffineExpr all = b.getAffineDimExpr(0), part = b.getAffineDimExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, all - part, {size, less});
}

/// A vector's indices: all in bounds.
static ArrayRef<bool> inBounds() {
  static constexpr bool all[] = {true};
  return all;
}

Value readVector(OpBuilder &b, Location loc, Value tensor, ValueRange at, int64_t width,
                 Value mask) {
  Type element = getElementTypeOrSelf(tensor.getType());
  auto type = VectorType::get({width}, element);
  if (!mask) {
    Value padding = ub::PoisonOp::create(b, loc, element);
    return vector::TransferReadOp::create(b, loc, type, tensor, at, padding, inBounds());
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  AffineMap map = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
  return vector::TransferReadOp::create(b, loc, type, tensor, at, AffineMapAttr::get(map), zero,
                                        mask, b.getBoolArrayAttr(inBounds()));
}

Value writeVector(OpBuilder &b, Location loc, Value vector, Value tensor, ValueRange at,
                  Value mask) {
  if (!mask)
    return vector::TransferWriteOp::create(b, loc, vector, tensor, at, inBounds()).getResult();
  AffineMap map = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
  return vector::TransferWriteOp::create(b, loc, vector, tensor, at, AffineMapAttr::get(map), mask,
                                         b.getBoolArrayAttr(inBounds()))
      .getResult();
}

} // namespace kgen
