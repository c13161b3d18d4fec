#include "analysis/SizeBounds.h"

#include "analysis/IndexRange.h"
#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <functional>
#include <numeric>

using namespace mlir;

namespace kgen {

std::optional<SizeBounds> sizeBoundsOf(OpFoldResult size) {
  std::optional<IndexRange> range = rangeOf(size);
  if (!range)
    return std::nullopt;
  return SizeBounds{range->first, range->last, knownDivisor(size)};
}

std::optional<SizeBounds> sizeBoundsOf(Value shaped, int64_t dim) {
  std::optional<SizeForm> form = sizeFormOf(shaped, dim);
  std::optional<IndexRange> range =
      form ? rangeOf(form->expression, {}, form->symbols) : std::nullopt;
  if (!range)
    return std::nullopt;
  return SizeBounds{range->first, range->last, knownDivisor(form->expression, {}, form->symbols)};
}

std::optional<SmallVector<int64_t>> greatestSizesOf(Value shaped) {
  SmallVector<int64_t> sizes(cast<ShapedType>(shaped.getType()).getShape());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      continue;
    std::optional<SizeBounds> bounds = sizeBoundsOf(shaped, dim);
    if (!bounds)
      return std::nullopt;
    size = bounds->greatest;
  }
  return sizes;
}

int64_t greatestElementsOf(Value shaped) {
  std::optional<SmallVector<int64_t>> sizes = greatestSizesOf(shaped);
  return sizes ? std::accumulate(sizes->begin(), sizes->end(), int64_t(1), std::multiplies<>()) : 0;
}

int64_t greatestBytesOf(Value shaped) {
  auto type = dyn_cast<ShapedType>(shaped.getType());
  if (!type || type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return bytesOf(shaped.getType());
  return bytesOfElement(type) * greatestElementsOf(shaped);
}

std::optional<std::pair<Value, int64_t>> dimensionOfLoop(Operation *op, unsigned loop) {
  std::optional<std::pair<Value, int64_t>> found;
  AffineExpr index = getAffineDimExpr(loop, op->getContext());
  for (OpOperand &operand : llvm::reverse(op->getOpOperands())) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    auto tile = dyn_cast<tpp::TileOpInterface>(op);
    AffineMap map = tile ? tile.getOperandMap(operand.getOperandNumber())
                         : cast<linalg::LinalgOp>(op).getMatchingIndexingMap(&operand);
    std::optional<unsigned> dim = map.getResultPosition(index);
    if (!dim)
      continue;
    if (sizeBoundsOf(operand.get(), *dim))
      return std::pair(operand.get(), int64_t(*dim));
    if (!found)
      found = {operand.get(), int64_t(*dim)};
  }
  return found;
}

std::optional<SmallVector<int64_t>> greatestLoopSizesOf(Operation *op) {
  auto tile = dyn_cast<tpp::TileOpInterface>(op);
  SmallVector<int64_t> sizes =
      tile ? tile.getIterationSizes() : cast<linalg::LinalgOp>(op).getStaticLoopRanges();
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      continue;
    auto dimension = dimensionOfLoop(op, loop);
    std::optional<SizeBounds> bounds =
        dimension ? sizeBoundsOf(dimension->first, dimension->second) : std::nullopt;
    if (!bounds)
      return std::nullopt;
    size = bounds->greatest;
  }
  return sizes;
}

int64_t greatestRowsOf(tpp::ContractionOpInterface op) {
  constexpr int64_t manyRows = 1 << 20;
  std::optional<SizeBounds> bounds = sizeBoundsOf(op.getInit(), op.getBatchRank());
  return bounds ? bounds->greatest : manyRows;
}

} // namespace kgen
