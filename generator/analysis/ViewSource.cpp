#include "analysis/ViewSource.h"

#include "analysis/SizeBounds.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {

bool isViewLike(Operation *op) {
  return isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

Value viewSource(Value memory) {
  for (Operation *op = memory.getDefiningOp(); op && isViewLike(op); op = memory.getDefiningOp())
    memory = op->getOperand(0);
  return memory;
}

int64_t bytesOfSource(Value memory) { return greatestBytesOf(viewSource(memory)); }

/// The init of a value that a loop carries: a block argument of its body or a result; null if it is
/// none.
static OpOperand *initOf(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner());
    return loop ? loop.getTiedLoopInit(result) : nullptr;
  }
  auto carried = cast<BlockArgument>(value);
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(carried.getOwner()->getParentOp());
  return loop ? loop.getTiedLoopInit(carried) : nullptr;
}

Value viewSourceThroughLoops(Value tensor) {
  Value whole = viewSource(tensor);
  while (OpOperand *init = initOf(whole))
    whole = viewSource(init->get());
  return whole;
}

} // namespace kgen
