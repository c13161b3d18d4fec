#include "transforms/MemoryViews.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

int64_t bytesOfWhole(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<memref::SubViewOp, memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op))
      break;
    memory = op->getOperand(0);
  }
  auto type = cast<MemRefType>(memory.getType());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

} // namespace kgen
