#include "ops/Piece.h"

#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

using Sizes = SmallVector<int64_t>;

/// The bytes of a box of row-major elements of `width` bytes.
SmallVector<char> copyBox(ArrayRef<char> bytes, ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
                          ArrayRef<int64_t> sizes, size_t width) {
  SmallVector<char> result;
  result.reserve(ShapedType::getNumElements(sizes) * width);
  Sizes index(sizes.size(), 0);
  size_t row = (sizes.empty() ? 1 : sizes.back()) * width;
  for (int64_t rows = ShapedType::getNumElements(sizes.drop_back()); rows > 0; --rows) {
    size_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      at = at * shape[d] + offsets[d] + index[d];
    llvm::append_range(result, bytes.slice(at * width, row));
    for (size_t d = sizes.size() - 1; d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
  return result;
}

/// The box of a constant, or null if `value` is none.
Value constantPiece(OpBuilder &b, mlir::Location loc, Value value, ArrayRef<int64_t> offsets,
                    ArrayRef<int64_t> sizes) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return {};
  auto from = cast<RankedTensorType>(value.getType());
  RankedTensorType to = from.clone(sizes);
  size_t width = from.getElementTypeBitWidth() / 8;
  auto box = [&](ArrayRef<char> bytes) {
    return copyBox(bytes, from.getShape(), offsets, sizes, width);
  };
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return denseConstant(b, value.getLoc(), to, resource.getRawHandle().getKey(),
                         box(blob->getData()));
  }
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  if (dense.isSplat())
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(Attribute(dense.resizeSplat(to))));
  return denseConstant(b, value.getLoc(), to, "piece", box(dense.getRawData()));
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

} // namespace

SmallVector<OpFoldResult> indices(OpBuilder &b, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

Value piece(OpBuilder &b, mlir::Location loc, Value value, ArrayRef<OpFoldResult> offsets,
            ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (std::optional<Sizes> known = getConstantIntValues(offsets)) {
    if (type.getShape() == sizes)
      return reshaped(b, loc, value, shape);
    if (Value constant = constantPiece(b, loc, value, *known, sizes))
      return reshaped(b, loc, constant, shape);
  }
  return tensor::ExtractSliceOp::create(b, loc, type.clone(shape), value, offsets,
                                        indices(b, sizes), indices(b, Sizes(sizes.size(), 1)));
}

Value piece(OpBuilder &b, mlir::Location loc, Value value, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> sizes) {
  return piece(b, loc, value, indices(b, offsets), sizes, sizes);
}

Value spacedPiece(OpBuilder &b, mlir::Location loc, Value value, ArrayRef<int64_t> offsets,
                  ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  if (llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return piece(b, loc, value, offsets, sizes);
  return tensor::ExtractSliceOp::create(b, loc, value, indices(b, offsets), indices(b, sizes),
                                        indices(b, steps));
}

Value withPiece(OpBuilder &b, mlir::Location loc, Value whole, Value part,
                ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> sizes) {
  return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, indices(b, sizes),
                                       indices(b, Sizes(sizes.size(), 1)));
}

Value withSpacedPiece(OpBuilder &b, mlir::Location loc, Value whole, Value part,
                      ArrayRef<int64_t> offsets, ArrayRef<int64_t> steps) {
  return tensor::InsertSliceOp::create(b, loc, part, whole, indices(b, offsets),
                                       indices(b, shapeOf(part)), indices(b, steps));
}

Value joined(OpBuilder &b, mlir::Location loc, ValueRange parts, int64_t axis) {
  SmallVector<Value> kept;
  Sizes shape(shapeOf(parts.front()));
  shape[axis] = 0;
  for (Value part : parts) {
    shape[axis] += shapeOf(part)[axis];
    if (!llvm::is_contained(shapeOf(part), 0))
      kept.push_back(part);
  }
  if (kept.size() == 1)
    return kept.front();
  Value whole = tensor::EmptyOp::create(b, loc, shape, getElementTypeOrSelf(parts.front()));
  Sizes offsets(shape.size(), 0);
  for (Value part : kept) {
    whole = withPiece(b, loc, whole, part, indices(b, offsets), shapeOf(part));
    offsets[axis] += shapeOf(part)[axis];
  }
  return whole;
}

} // namespace kgen
