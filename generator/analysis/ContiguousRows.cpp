#include "analysis/ContiguousRows.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

/// The last dimension that has more than one element, or may have; -1 if there is none.
static int64_t lastWideDim(ArrayRef<int64_t> shape) {
  for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d)
    if (shape[static_cast<size_t>(d)] != 1)
      return d;
  return -1;
}

/// True if neighbors in the slice's last wide dimension are neighbors in its source.
static bool keepsRows(tensor::ExtractSliceOp slice) {
  ArrayRef<int64_t> sizes = slice.getStaticSizes();
  int64_t last = lastWideDim(sizes);
  return last < 0 || (slice.getStaticStrides()[static_cast<size_t>(last)] == 1 &&
                      lastWideDim(slice.getSourceType().getShape()) == last);
}

bool hasContiguousRows(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (!keepsRows(slice))
        return false;
    } else if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op)) {
      return true;
    }
    tensor = op->getOperand(0);
  }
  return true;
}

} // namespace kgen
