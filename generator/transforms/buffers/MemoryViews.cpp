#include "transforms/buffers/MemoryViews.h"

#include "dialect/kgen/Decisions.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

bool isMemoryView(Operation *op) {
  return isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp,
             tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

Value wholeOf(Value memory) {
  for (Operation *op = memory.getDefiningOp(); op && isMemoryView(op); op = memory.getDefiningOp())
    memory = op->getOperand(0);
  return memory;
}

int64_t bytesOfWhole(Value memory) { return bytesOf(wholeOf(memory).getType()); }

Value wholeAround(Value tensor) {
  while (true) {
    tensor = wholeOf(tensor);
    auto carried = dyn_cast<BlockArgument>(tensor);
    auto loop = carried ? dyn_cast_or_null<LoopLikeOpInterface>(carried.getOwner()->getParentOp())
                        : LoopLikeOpInterface();
    OpOperand *init = loop ? loop.getTiedLoopInit(carried) : nullptr;
    if (!init)
      return tensor;
    tensor = init->get();
  }
}

bool isBeyondCaches(int64_t bytes, TargetAttr target) {
  constexpr int64_t secondCaches = 32; // as much as most CPUs' last cache
  return bytes > secondCaches * target.getL2();
}

} // namespace kgen
