#include "transforms/MemoryViews.h"

#include "dialect/kgen/Decisions.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

int64_t bytesOfWhole(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op))
      break;
    memory = op->getOperand(0);
  }
  return bytesOf(memory.getType());
}

} // namespace kgen
