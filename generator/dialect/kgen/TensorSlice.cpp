#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

Value extract(OpBuilder &b, Location loc, Value tensor, const TensorSlice &slice) {
  return tensor::ExtractSliceOp::create(b, loc, tensor, slice.offsets, slice.sizes,
                                        slice.strides(b));
}

Value extract(OpBuilder &b, Location loc, Value tensor, const TensorSlice &slice,
              ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType()).clone(shape);
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, slice.offsets, slice.sizes,
                                        slice.strides(b));
}

Value insert(OpBuilder &b, Location loc, Value source, Value tensor, const TensorSlice &slice) {
  return tensor::InsertSliceOp::create(b, loc, source, tensor, slice.offsets, slice.sizes,
                                       slice.strides(b));
}

} // namespace kgen
