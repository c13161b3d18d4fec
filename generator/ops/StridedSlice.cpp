#include "ops/StridedSlice.h"

#include "ops/ElementRemap.h"
#include "ops/Lowering.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
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

/// Parts that are stored into memory one by one. Bufferization looks at each of them alone, while
/// it takes time to the fourth power for a chain of insertions. The places in memory are the first
/// operations of the block, so that what computes a part can be given its place.
static Value stored(OpBuilder &b, mlir::Location loc, RankedTensorType type,
                    ArrayRef<PlacedPart> parts, ArrayRef<int64_t> steps) {
  OpBuilder first = OpBuilder::atBlockBegin(b.getInsertionBlock());
  Value memory =
      memref::AllocOp::create(first, loc, MemRefType::get(type.getShape(), type.getElementType()));
  for (const PlacedPart &part : parts) {
    Value place =
        memref::SubViewOp::create(first, loc, memory, part.offsets, shapeOf(part.value), steps);
    auto store = bufferization::MaterializeInDestinationOp::create(b, loc, part.value, place);
    store.setRestrict(true);
    store.setWritable(true);
  }
  return bufferization::ToTensorOp::create(b, loc, type, memory, /*restrict=*/true);
}

Value assembled(OpBuilder &b, mlir::Location loc, RankedTensorType type, ArrayRef<PlacedPart> parts,
                ArrayRef<int64_t> steps) {
  constexpr size_t mostInserted = 16;
  if (parts.size() > mostInserted)
    return stored(b, loc, type, parts, steps);
  Value whole = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  for (const PlacedPart &part : parts)
    whole = withSpacedPiece(b, loc, whole, part.value, part.offsets, steps);
  return whole;
}

Value joined(OpBuilder &b, mlir::Location loc, ValueRange parts, int64_t axis) {
  auto first = cast<RankedTensorType>(parts.front().getType());
  SmallVector<PlacedPart> kept;
  Sizes shape(first.getShape());
  shape[axis] = 0;
  for (Value part : parts) {
    Sizes offsets(shape.size(), 0);
    offsets[axis] = shape[axis];
    shape[axis] += shapeOf(part)[axis];
    if (!llvm::is_contained(shapeOf(part), 0))
      kept.push_back({part, offsets});
  }
  if (kept.size() == 1)
    return kept.front().value;
  return assembled(b, loc, first.clone(shape), kept, Sizes(shape.size(), 1));
}

} // namespace kgen
