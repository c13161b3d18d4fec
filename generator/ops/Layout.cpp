// The order of dimensions: images with their channels last, and constants that are reordered when
// code is generated.
#include "ops/ElementRemap.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

SmallVector<int64_t> channelsLastOrder(int64_t rank) {
  SmallVector<int64_t> order;
  order.push_back(0);
  for (int64_t dimension = 2; dimension < rank; ++dimension)
    order.push_back(dimension);
  if (rank > 1)
    order.push_back(1);
  return order;
}

Value transposed(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> order) {
  auto from = cast<RankedTensorType>(value.getType());
  TensorShape whole = tensorShapeOf(value), shape;
  SmallVector<int64_t> longer;
  for (int64_t dimension : order) {
    shape.push_back(whole.dim(dimension));
    if (from.getDimSize(dimension) != 1)
      longer.push_back(dimension);
  }
  if (llvm::is_sorted(longer))
    return withShape(b, loc, value, shape);
  if (shape.isStatic()) {
    SmallVector<int64_t> strides = rowMajorStrides(from.getShape());
    StridedLayout layout;
    for (int64_t dimension : order)
      layout.strides.push_back(strides[dimension]);
    if (Value constant = rearrangedConstant(b, value, shape.numbers(), layout))
      return constant;
  }
  Value empty = emptyTensor(b, loc, shape, from.getElementType());
  return linalg::TransposeOp::create(b, loc, value, empty, order).getResult()[0];
}

} // namespace kgen
