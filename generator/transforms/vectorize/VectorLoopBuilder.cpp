#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
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

Value readVector(OpBuilder &b, Location loc, Value tensor, ValueRange at, int64_t width) {
  Type element = getElementTypeOrSelf(tensor.getType());
  Value padding = ub::PoisonOp::create(b, loc, element);
  return vector::TransferReadOp::create(b, loc, VectorType::get({width}, element), tensor, at,
                                        padding, ArrayRef<bool>{true});
}

Value writeVector(OpBuilder &b, Location loc, Value vector, Value tensor, ValueRange at) {
  return vector::TransferWriteOp::create(b, loc, vector, tensor, at, ArrayRef<bool>{true})
      .getResult();
}

} // namespace kgen
