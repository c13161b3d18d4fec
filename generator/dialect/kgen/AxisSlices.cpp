#include "dialect/kgen/AxisSlices.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

/// Dynamic if one of the sizes is.
static int64_t productOf(ArrayRef<int64_t> sizes) {
  if (ShapedType::isDynamicShape(sizes))
    return ShapedType::kDynamic;
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

AxisShape axisShapeOf(RankedTensorType type, int64_t axis, int64_t rank) {
  ArrayRef<int64_t> shape = type.getShape();
  return {productOf(shape.take_front(axis)), productOf(shape.slice(axis, rank)),
          productOf(shape.drop_front(axis + rank)), type.getElementTypeBitWidth()};
}

Value expandedInBlocks(OpBuilder &b, Location loc, Value tensor, int64_t axis, int64_t length) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= length;
  shape.insert(shape.begin() + axis + 1, length);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < type.getRank(); ++d) {
    groups.push_back({next++});
    if (d == axis)
      groups.back().push_back(next++);
  }
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), tensor, groups);
}

std::pair<Value, Value> sideBySide(OpBuilder &b, Location loc, Value first, Value second,
                                   int64_t at) {
  auto type = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + at, 2);
  AffineMap all = b.getMultiDimIdentityMap(shape.size()), map = all.dropResult(at);
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto choose = [&](OpBuilder &inner, Location where, ValueRange v) {
    Value index = linalg::IndexOp::create(inner, where, at);
    Value zero = arith::ConstantIndexOp::create(inner, where, 0);
    Value isFirst = arith::CmpIOp::create(inner, where, arith::CmpIPredicate::eq, index, zero);
    Value chosen = arith::SelectOp::create(inner, where, isFirst, v[0], v[1]);
    linalg::YieldOp::create(inner, where, chosen);
  };
  Value out = emptyTensor(b, loc, shape, type.getElementType());
  Value both = linalg::GenericOp::create(b, loc, out.getType(), ValueRange{first, second}, out,
                                         ArrayRef<AffineMap>{map, map, all}, loops, choose)
                   .getResult(0);
  auto sliceAt = [&](int64_t index) -> Value {
    TensorSlice slice(b, SmallVector<int64_t>(shape.size(), 0), shape);
    slice.offsets[at] = b.getIndexAttr(index);
    slice.sizes[at] = b.getIndexAttr(1);
    return extract(b, loc, both, slice, type.getShape());
  };
  return {sliceAt(0), sliceAt(1)};
}

} // namespace kgen
