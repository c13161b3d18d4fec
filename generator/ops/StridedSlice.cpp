#include "ops/StridedSlice.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "ops/ElementRemap.h"
#include "ops/Lowering.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
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

/// Sets the insertion point to the beginning of the block, after the sizes that are computed there.
static void setToBeginning(OpBuilder &b) {
  Block *block = b.getInsertionBlock();
  auto isSize = [](Operation &op) { return isa<affine::AffineApplyOp>(op); };
  b.setInsertionPoint(block, llvm::find_if_not(*block, isSize));
}

/// Assembles the tensor in memory: each part is stored into a subview. Bufferization analyzes the
/// stores one by one, while its time grows with the fourth power of the length of a chain of
/// tensor.insert_slice. The subviews come first in the block, so a part's producer can write there.
static Value stored(OpBuilder &b, Location loc, const TensorShape &shape, Type element,
                    ArrayRef<InsertedSlice> parts, ArrayRef<OpFoldResult> strides) {
  SmallVector<OpFoldResult> sizes = sizeValues(b, shape);
  SmallVector<SmallVector<OpFoldResult>> offsets, partSizes;
  for (const InsertedSlice &part : parts) {
    offsets.push_back(sizeValues(b, part.offsets));
    partSizes.push_back(sizeValues(b, tensorShapeOf(part.value)));
  }
  OpBuilder first = b;
  setToBeginning(first);
  RankedTensorType type = tensorOf(shape, element);
  SmallVector<Value> openSizes;
  SmallVector<int64_t> known;
  dispatchIndexOpFoldResults(sizes, openSizes, known);
  Value memory =
      memref::AllocOp::create(first, loc, MemRefType::get(type.getShape(), element), openSizes);
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value view = memref::SubViewOp::create(first, loc, memory, offsets[i], partSizes[i], strides);
    auto store = bufferization::MaterializeInDestinationOp::create(b, loc, part.value, view);
    store.setRestrict(true);
    store.setWritable(true);
  }
  return bufferization::ToTensorOp::create(b, loc, type, memory, /*restrict=*/true);
}

Value assembled(OpBuilder &b, Location loc, const TensorShape &shape, Type element,
                ArrayRef<InsertedSlice> parts, ArrayRef<int64_t> strides) {
  constexpr size_t maxInserted = 16;
  SmallVector<OpFoldResult> steps = indices(b, strides);
  if (parts.size() > maxInserted)
    return stored(b, loc, shape, element, parts, steps);
  Value whole = emptyTensor(b, loc, shape, element);
  for (const InsertedSlice &part : parts)
    whole = tensor::InsertSliceOp::create(b, loc, part.value, whole, sizeValues(b, part.offsets),
                                          sizeValues(b, tensorShapeOf(part.value)), steps);
  return whole;
}

/// True if the tensor is the old value of a state, or that with slices written into it.
static bool isOfState(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (auto memory = dyn_cast<bufferization::ToTensorOp>(op))
      return memory.getWritable();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      tensor = loop.getTiedLoopInit(cast<OpResult>(tensor))->get();
    else if (auto insertion = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insertion.getDest();
    else
      return false;
  }
  return false;
}

/// The state of which the part is a slice that stays where it is; null if it is none.
static Value unmovedState(OpBuilder &b, const InsertedSlice &part, const TensorShape &shape) {
  auto slice = part.value.getDefiningOp<tensor::ExtractSliceOp>();
  bool isPlain = slice && slice.getDroppedDims().none() && slice.hasUnitStride() &&
                 tensorShapeOf(slice.getSource()) == shape;
  return isPlain && isOfState(slice.getSource()) &&
                 isEqualConstantIntOrValueArray(slice.getMixedOffsets(),
                                                sizeValues(b, part.offsets))
             ? slice.getSource()
             : Value();
}

/// Writes the parts into a state that has all others; null where there is none. What changes of a
/// state is written, and nothing else.
static Value writtenIntoState(OpBuilder &b, Location loc, const TensorShape &shape,
                              ArrayRef<InsertedSlice> parts) {
  Value state;
  SmallVector<InsertedSlice> changed;
  for (const InsertedSlice &part : parts) {
    Value source = unmovedState(b, part, shape);
    if (source && (!state || source == state))
      state = source;
    else
      changed.push_back(part);
  }
  SmallVector<OpFoldResult> steps = indices(b, Sizes(shape.size(), 1));
  for (const InsertedSlice &part : changed)
    if (state)
      state = tensor::InsertSliceOp::create(b, loc, part.value, state, sizeValues(b, part.offsets),
                                            sizeValues(b, tensorShapeOf(part.value)), steps);
  return state;
}

Value joined(OpBuilder &b, Location loc, ValueRange parts, int64_t axis) {
  SmallVector<InsertedSlice> kept;
  TensorShape shape = tensorShapeOf(parts.front());
  shape.setDim(axis, 0);
  for (Value part : parts) {
    TensorShape offsets(std::vector<int64_t>(shape.size(), 0));
    offsets.setDim(axis, shape.dim(axis));
    TensorShape own = tensorShapeOf(part);
    shape.setDim(axis, shape.dim(axis) + own.dim(axis));
    if (!own.isEmptyTensor())
      kept.push_back({part, offsets});
  }
  if (kept.size() == 1)
    return kept.front().value;
  if (Value state = writtenIntoState(b, loc, shape, kept))
    return state;
  return assembled(b, loc, shape, getElementTypeOrSelf(parts.front()), kept,
                   Sizes(shape.size(), 1));
}

} // namespace kgen
