#include "ops/Piece.h"

#include "ops/Lowering.h"
#include "ops/Rearranged.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
namespace {

using Sizes = SmallVector<int64_t>;

/// The box of a constant, or null if `value` is none.
Value constantPiece(OpBuilder &b, Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  ElementPlaces places;
  places.steps = rowMajorSteps(cast<RankedTensorType>(value.getType()).getShape());
  for (auto [offset, step] : llvm::zip_equal(offsets, places.steps))
    places.first += offset * step;
  return rearrangedConstant(b, value, sizes, places);
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
    if (Value constant = constantPiece(b, value, *known, sizes))
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
