#include "transforms/layout/TensorSlice.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

Value extract(OpBuilder &b, Location loc, Value tensor, const TensorSlice &box) {
  return tensor::ExtractSliceOp::create(b, loc, tensor, box.offsets, box.sizes, box.steps(b));
}

Value extract(OpBuilder &b, Location loc, Value tensor, const TensorSlice &box,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType()).clone(shape);
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, box.offsets, box.sizes, box.steps(b));
}

Value insert(OpBuilder &b, Location loc, Value part, Value tensor, const TensorSlice &box) {
  return tensor::InsertSliceOp::create(b, loc, part, tensor, box.offsets, box.sizes, box.steps(b));
}

} // namespace kgen
