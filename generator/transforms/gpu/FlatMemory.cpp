#include "transforms/gpu/FlatMemory.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include <limits>

using namespace mlir;

namespace kgen::gpu_kernels {

LinearForm addressForm(const FlatMemory &flat, ArrayRef<LinearForm> indices, unsigned loops) {
  LinearForm sum;
  sum.factors.assign(loops, 0);
  sum.constant = flat.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, flat.strides)) {
    for (auto [factor, own] : llvm::zip_equal(sum.factors, index.factors))
      factor += own * stride;
    sum.constant += index.constant * stride;
  }
  return sum;
}

std::optional<FlatMemory> flatten(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  FlatMemory flat;
  if (!type || !type.hasStaticShape() ||
      failed(type.getStridesAndOffset(flat.strides, flat.offset)) ||
      ShapedType::isDynamic(flat.offset) || llvm::any_of(flat.strides, ShapedType::isDynamic))
    return std::nullopt;
  // Offsets and strides of views are relative to the buffer at their beginning.
  flat.root = memref;
  while (auto view = flat.root.getDefiningOp<ViewLikeOpInterface>())
    flat.root = view.getViewSource();
  auto whole = dyn_cast<MemRefType>(flat.root.getType());
  if (!whole || !whole.hasStaticShape() || !whole.getLayout().isIdentity() ||
      whole.getElementType() != type.getElementType())
    return std::nullopt;
  flat.elements = whole.getNumElements();
  if (flat.elements > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  return flat;
}

} // namespace kgen::gpu_kernels
