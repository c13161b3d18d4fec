#include "ops/StridedSlice.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
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

/// The slice of a constant, or null if `value` is none.
Value constantSlice(OpBuilder &b, Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  StridedLayout layout;
  layout.strides = rowMajorStrides(cast<RankedTensorType>(value.getType()).getShape());
  for (auto [offset, stride] : llvm::zip_equal(offsets, layout.strides))
    layout.first += offset * stride;
  return rearrangedConstant(b, value, sizes, layout);
}

/// True for slices without elements: for upstream's operations an offset is out of bounds where no
/// element could be.
bool isNothing(ArrayRef<int64_t> sizes) { return llvm::is_contained(sizes, 0); }

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

} // namespace

SmallVector<OpFoldResult> indices(OpBuilder &b, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(b.getContext(), values);
}

Value extractSlice(OpBuilder &b, Location loc, Value value, ArrayRef<OpFoldResult> offsets,
                   ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (std::optional<Sizes> known = getConstantIntValues(offsets)) {
    if (type.getShape() == sizes)
      return reshaped(b, loc, value, shape);
    if (Value constant = constantSlice(b, value, *known, sizes))
      return reshaped(b, loc, constant, shape);
  }
  if (isNothing(sizes))
    return emptyTensor(b, loc, shape, type.getElementType());
  return extract(b, loc, value, TensorSlice(b, offsets, sizes), shape);
}

Value extractSlice(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> offsets,
                   ArrayRef<int64_t> sizes) {
  return extractSlice(b, loc, value, indices(b, offsets), sizes, sizes);
}

Value extractSliceOfShape(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> offsets,
                          const TensorShape &shape) {
  if (shape.isStatic())
    return extractSlice(b, loc, value, offsets, shape.numbers());
  return extract(b, loc, value, TensorSlice(indices(b, offsets), sizeValues(b, shape)));
}

Value extractStridedSlice(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> offsets,
                          ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return extractSlice(b, loc, value, offsets, sizes);
  if (isNothing(sizes))
    return emptyTensor(b, loc, sizes, getElementTypeOrSelf(value));
  return tensor::ExtractSliceOp::create(b, loc, value, indices(b, offsets), indices(b, sizes),
                                        indices(b, strides));
}

Value insertSlice(OpBuilder &b, Location loc, Value whole, Value part,
                  ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> sizes) {
  if (isNothing(sizes))
    return whole;
  return insert(b, loc, part, whole, TensorSlice(b, offsets, sizes));
}

Value insertStridedSlice(OpBuilder &b, Location loc, Value whole, Value part,
                         ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides) {
  return tensor::InsertSliceOp::create(b, loc, part, whole, indices(b, offsets),
                                       sizeValues(b, tensorShapeOf(part)), indices(b, strides));
}

/// Assembles the tensor in memory: each part is stored into a subview. Bufferization analyzes the
/// stores one by one, while its time grows with the fourth power of the length of a chain of
/// tensor.insert_slice. The subviews come first in the block, so a part's producer can write there.
static Value stored(OpBuilder &b, Location loc, RankedTensorType type,
                    ArrayRef<InsertedSlice> parts, ArrayRef<int64_t> strides) {
  OpBuilder first = OpBuilder::atBlockBegin(b.getInsertionBlock());
  Value memory =
      memref::AllocOp::create(first, loc, MemRefType::get(type.getShape(), type.getElementType()));
  for (const InsertedSlice &part : parts) {
    Value view =
        memref::SubViewOp::create(first, loc, memory, part.offsets, shapeOf(part.value), strides);
    auto store = bufferization::MaterializeInDestinationOp::create(b, loc, part.value, view);
    store.setRestrict(true);
    store.setWritable(true);
  }
  return bufferization::ToTensorOp::create(b, loc, type, memory, /*restrict=*/true);
}

Value assembled(OpBuilder &b, Location loc, const TensorShape &shape, Type element,
                ArrayRef<InsertedSlice> parts, ArrayRef<int64_t> strides) {
  constexpr size_t maxInserted = 16;
  if (parts.size() > maxInserted && shape.isStatic())
    return stored(b, loc, tensorOf(shape, element), parts, strides);
  Value whole = emptyTensor(b, loc, shape, element);
  for (const InsertedSlice &part : parts)
    whole = insertStridedSlice(b, loc, whole, part.value, part.offsets, strides);
  return whole;
}

/// Concatenates parts whose shapes have symbols: where a part begins may be known at run time only.
static Value joinedAtRunTime(OpBuilder &b, Location loc, ValueRange parts, int64_t axis) {
  TensorShape whole = tensorShapeOf(parts.front());
  Dim size = 0;
  for (Value part : parts)
    size = size + tensorShapeOf(part).dim(axis);
  whole.setDim(axis, size);
  Value result = emptyTensor(b, loc, whole, getElementTypeOrSelf(parts.front()));
  TensorShape offset(std::vector<int64_t>(whole.size(), 0));
  const SmallVector<OpFoldResult> strides(whole.size(), b.getIndexAttr(1));
  for (Value part : parts) {
    TensorShape shape = tensorShapeOf(part);
    result = tensor::InsertSliceOp::create(b, loc, part, result, sizeValues(b, offset),
                                           sizeValues(b, shape), strides);
    offset.setDim(axis, offset.dim(axis) + shape.dim(axis));
  }
  return result;
}

Value joined(OpBuilder &b, Location loc, ValueRange parts, int64_t axis) {
  auto first = cast<RankedTensorType>(parts.front().getType());
  if (!llvm::all_of(parts, [](Value part) {
        return cast<RankedTensorType>(part.getType()).hasStaticShape();
      }))
    return joinedAtRunTime(b, loc, parts, axis);
  SmallVector<InsertedSlice> kept;
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
  return assembled(b, loc, TensorShape(shape.begin(), shape.end()), first.getElementType(), kept,
                   Sizes(shape.size(), 1));
}

} // namespace kgen
