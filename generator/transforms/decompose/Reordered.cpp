#include "transforms/decompose/Reordered.h"

#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/UnitDims.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cstring>

using namespace mlir;

namespace kgen {

/// The bytes of elements in row-major order of `type`, whose dimensions are put in another order.
static SmallVector<char> reorderedBytes(ArrayRef<char> bytes, RankedTensorType type,
                                        ArrayRef<int64_t> order) {
  int64_t rank = type.getRank(), width = type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> strides(rank, width), shape, steps, index(rank, 0);
  for (int64_t d = rank - 1; d > 0; --d)
    strides[d - 1] = strides[d] * type.getDimSize(d);
  for (int64_t d : order) {
    shape.push_back(type.getDimSize(d));
    steps.push_back(strides[d]);
  }
  SmallVector<char> result;
  for (int64_t i = 0; i < type.getNumElements(); ++i, advance(index, shape)) {
    int64_t at = 0;
    for (auto [number, step] : llvm::zip_equal(index, steps))
      at += number * step;
    llvm::append_range(result, bytes.slice(at, width));
  }
  return result;
}

SmallVector<char> bytesInOrder(Value tensor, ArrayRef<int64_t> order) {
  auto constant = tensor.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
  SmallVector<char> storage;
  ArrayRef<char> bytes = elements ? constantBytes(elements, storage) : ArrayRef<char>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (bytes.empty() || type.getElementTypeBitWidth() % 8 != 0)
    return {};
  return reorderedBytes(bytes, type, order);
}

Value constantLike(OpBuilder &b, Location loc, Value constant, ArrayRef<int64_t> shape,
                   ArrayRef<char> bytes) {
  auto type = cast<RankedTensorType>(constant.getType()).clone(shape);
  Attribute old = constant.getDefiningOp<arith::ConstantOp>().getValue(), made;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(old)) {
    AsmResourceBlob blob = allocateBlob(bytes.size());
    std::memcpy(blob.getMutableData().data(), bytes.data(), bytes.size());
    made = DenseResourceElementsAttr::get(type, resource.getRawHandle().getKey(),
                                          shared(std::move(blob)));
  } else {
    made = DenseElementsAttr::getFromRawBuffer(type, bytes);
  }
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(made));
}

Value reordered(OpBuilder &b, Location loc, Value tensor, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape, longer;
  for (int64_t d : order) {
    sizes.push_back(sizeOf(b, loc, tensor, d));
    shape.push_back(type.getDimSize(d));
    if (shape.back() != 1)
      longer.push_back(d);
  }
  if (llvm::is_sorted(longer))
    return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), dropUnitDims(b, loc, tensor),
                                         unitDimGroups(shape), sizes);
  if (SmallVector<char> bytes = bytesInOrder(tensor, order); !bytes.empty())
    return constantLike(b, loc, tensor, shape, bytes);
  Value empty = emptyTensor(b, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(b, loc, tensor, empty, order).getResult()[0];
}

SmallVector<int64_t> inverted(ArrayRef<int64_t> order) {
  SmallVector<int64_t> back(order.size());
  for (auto [position, d] : llvm::enumerate(order))
    back[d] = static_cast<int64_t>(position);
  return back;
}

} // namespace kgen
