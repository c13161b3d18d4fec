// The order of dimensions: images with their channels last, and constants that are reordered when
// code is generated.
#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <cstring>

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

/// Copies elements of `width` bytes of a tensor of `shape` in the order of the result's.
static void copyOrdered(ArrayRef<char> from, ArrayRef<int64_t> shape, ArrayRef<int64_t> order,
                        size_t width, MutableArrayRef<char> to) {
  SmallVector<int64_t> strides(shape.size(), 1), sizes, steps;
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  for (int64_t dimension : order) {
    sizes.push_back(shape[dimension]);
    steps.push_back(strides[dimension] * static_cast<int64_t>(width));
  }
  SmallVector<int64_t> at(sizes.size(), 0);
  int64_t offset = 0;
  for (size_t position = 0; position < to.size(); position += width) {
    std::memcpy(to.data() + position, from.data() + offset, width);
    for (size_t i = sizes.size(); i-- > 0;) {
      offset += steps[i];
      if (++at[i] < sizes[i])
        break;
      offset -= sizes[i] * steps[i];
      at[i] = 0;
    }
  }
}

/// The constant with its elements reordered.
static Value transposedConstant(OpBuilder &b, arith::ConstantOp constant, RankedTensorType type,
                                ArrayRef<int64_t> order) {
  auto from = cast<RankedTensorType>(constant.getType());
  size_t width = from.getElementTypeBitWidth() / 8;
  SmallVector<char> bytes(type.getNumElements() * width);
  StringRef name = "weight";
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    name = resource.getRawHandle().getKey();
    copyOrdered(resource.getRawHandle().getBlob()->getData(), from.getShape(), order, width, bytes);
    return denseConstant(b, constant.getLoc(), type, name, bytes);
  }
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  if (dense.isSplat())
    return arith::ConstantOp::create(b, constant.getLoc(), dense.resizeSplat(type));
  copyOrdered(dense.getRawData(), from.getShape(), order, width, bytes);
  return denseConstant(b, constant.getLoc(), type, name, bytes);
}

Value transposed(OpBuilder &b, mlir::Location loc, Value value, ArrayRef<int64_t> order) {
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape, longer;
  for (int64_t dimension : order) {
    shape.push_back(from.getDimSize(dimension));
    if (from.getDimSize(dimension) != 1)
      longer.push_back(dimension);
  }
  if (llvm::is_sorted(longer))
    return reshaped(b, loc, value, shape);
  auto type = from.clone(shape);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return transposedConstant(b, constant, type, order);
  Value empty = tensor::EmptyOp::create(b, loc, shape, from.getElementType());
  return linalg::TransposeOp::create(b, loc, value, empty, order).getResult()[0];
}

} // namespace kgen
