#include "transforms/memory/WorkspaceSizes.h"

#include "analysis/IndexRange.h"
#include "analysis/SizeBounds.h"
#include "dialect/kgen/Size.h"
#include "dialect/kgen/TypeSizes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>

using namespace mlir;

namespace kgen {

WorkspaceSizes::WorkspaceSizes(func::FuncOp function)
    : context(function.getContext()), sizes(sizeArguments(function)) {}

AffineExpr WorkspaceSizes::inSizes(AffineExpr expression, ValueRange symbols) const {
  AffineMap map = AffineMap::get(0, symbols.size(), expression);
  SmallVector<Value> operands(symbols);
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  SmallVector<AffineExpr> arguments;
  for (Value operand : operands) {
    const auto *found = llvm::find(sizes, operand);
    if (found == sizes.end())
      return {};
    arguments.push_back(getAffineSymbolExpr(found - sizes.begin(), context));
  }
  ArrayRef<AffineExpr> all = arguments;
  return simplifyAffineExpr(map.getResult(0).replaceDimsAndSymbols(
                                all.take_front(map.getNumDims()), all.drop_front(map.getNumDims())),
                            0, sizes.size());
}

AffineExpr WorkspaceSizes::bytesOf(memref::AllocOp alloc, int64_t alignment) const {
  int64_t element = llvm::divideCeil(alloc.getType().getElementTypeBitWidth(), 8);
  AffineExpr bytes = constant(element);
  for (int64_t dim = 0; dim < alloc.getType().getRank(); ++dim) {
    std::optional<SizeForm> form = sizeFormOf(alloc, dim);
    AffineExpr size = form ? inSizes(form->expression, form->symbols) : AffineExpr();
    bytes = bytes * (size ? size : constant((*greatestSizesOf(alloc))[dim]));
  }
  if (knownDivisor(bytes, {}, sizes) % alignment != 0)
    bytes = bytes.ceilDiv(alignment) * alignment;
  return simplifyAffineExpr(bytes, 0, sizes.size());
}

AffineExpr WorkspaceSizes::tasksOf(const TaskGrid &grid) const {
  AffineExpr all = constant(1);
  for (auto [end, first, step, greatest] :
       llvm::zip_equal(grid.ends, grid.lower, grid.step, grid.counts)) {
    AffineExpr last = end ? inSizes(getAffineSymbolExpr(0, context), end) : AffineExpr();
    all = all * (last ? (last - first).ceilDiv(step) : constant(greatest));
  }
  return simplifyAffineExpr(all, 0, sizes.size());
}

void WorkspaceSizes::add(ByteCount &count, AffineExpr bytes) const {
  bytes = simplifyAffineExpr(bytes, 0, sizes.size());
  auto isAtLeast = [&](AffineExpr more, AffineExpr less) {
    std::optional<IndexRange> range =
        rangeOf(simplifyAffineExpr(more - less, 0, sizes.size()), {}, sizes);
    return more == less || (range && range->first >= 0);
  };
  if (llvm::any_of(count, [&](AffineExpr other) { return isAtLeast(other, bytes); }))
    return;
  llvm::erase_if(count, [&](AffineExpr other) { return isAtLeast(bytes, other); });
  count.push_back(bytes);
}

ByteCount WorkspaceSizes::limited(ByteCount count, int64_t greatest) const {
  constexpr size_t maxExpressions = 8; // a few instructions each, in every call
  return count.size() > maxExpressions ? ByteCount{constant(greatest)} : count;
}

OpFoldResult WorkspaceSizes::valueOf(OpBuilder &b, Location loc, const ByteCount &count) const {
  SmallVector<OpFoldResult> operands = getAsOpFoldResult(sizes);
  return count.size() == 1 ? affine::makeComposedFoldedAffineApply(b, loc, mapOf(count), operands)
                           : affine::makeComposedFoldedAffineMax(b, loc, mapOf(count), operands);
}

} // namespace kgen
