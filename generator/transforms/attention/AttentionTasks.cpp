#include "transforms/attention/AttentionTasks.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

void AttentionTasks::makeSizes() {
  for (unsigned dimension = 0; dimension <= op.dimE(); ++dimension)
    values.push_back(plan.sizes.value(b, dimension));
}

OpFoldResult AttentionTasks::sizeInTask(unsigned dimension) {
  int64_t size = plan.taskSizes[dimension];
  if (!plan.sizes.isDynamic(dimension) || size == 1)
    return b.getIndexAttr(size);
  AffineExpr first = b.getAffineDimExpr(0), end = b.getAffineDimExpr(1);
  AffineMap map =
      AffineMap::get(2, 0, {b.getAffineConstantExpr(size), end - first}, b.getContext());
  return affine::makeComposedFoldedAffineMin(b, loc, map,
                                             {OpFoldResult(start[dimension]), values[dimension]});
}

void AttentionTasks::run(llvm::function_ref<Value(Value)> body) {
  SmallVector<OpFoldResult> shape, tasks;
  for (AffineExpr result : op.getResultMap().getResults())
    shape.push_back(values[cast<AffineDimExpr>(result).getPosition()]);
  Value init = emptyTensor(b, loc, shape, getElementTypeOrSelf(op.getResult().getType()));
  for (auto [dimension, count] : llvm::enumerate(plan.tasks))
    tasks.push_back(ShapedType::isDynamic(count)
                        ? affine::makeComposedFoldedAffineApply(
                              b, loc, b.getAffineSymbolExpr(0).ceilDiv(plan.taskSizes[dimension]),
                              {values[dimension]})
                        : OpFoldResult(b.getIndexAttr(count)));
  auto forall = scf::ForallOp::create(b, loc, tasks, init, std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    Value size = arith::ConstantIndexOp::create(b, loc, plan.taskSizes[i]);
    start.push_back(b.createOrFold<arith::MulIOp>(loc, iv, size));
  }
  TensorSlice slice;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    bool isE = dimension == op.dimE();
    slice.offsets.push_back(isE ? OpFoldResult(b.getIndexAttr(0)) : start[dimension]);
    slice.sizes.push_back(isE ? OpFoldResult(b.getIndexAttr(plan.e)) : sizeInTask(dimension));
  }
  Value out = forall.getRegionIterArgs()[0];
  Value result = body(extract(b, loc, out, slice));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, out, slice.offsets, slice.sizes,
                                        slice.strides(b));
  op.getResult().replaceAllUsesWith(forall.getResult(0));
  op.erase();
}

} // namespace kgen
