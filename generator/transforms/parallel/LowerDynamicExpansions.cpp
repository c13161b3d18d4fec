// Views that make several dimensions of one whose sizes are known at run time.
#include "transforms/parallel/LowerDynamicExpansions.h"

#include "transforms/parallel/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERDYNAMICEXPANSIONSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

/// True if a dimension becomes several of which more than one is known at run time only.
bool hasSeveralDynamic(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(), [&](const ReassociationIndices &group) {
    return llvm::count_if(group, [&](int64_t d) {
             return op.getResultType().isDynamicDim(static_cast<unsigned>(d));
           }) > 1;
  });
}

void lower(RewriterBase &rewriter, memref::ExpandShapeOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto [typeStrides, typeOffset] = op.getResultType().getStridesAndOffset();
  auto source = memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides(sizes.size()),
                            sourceStrides = source.getConstifiedMixedStrides();
  for (auto [group, sourceStride] : llvm::zip(op.getReassociationIndices(), sourceStrides)) {
    OpFoldResult stride = sourceStride;
    for (int64_t dim : llvm::reverse(group)) {
      // A number in the type is one here, too.
      strides[dim] = ShapedType::isDynamic(typeStrides[dim])
                         ? stride
                         : OpFoldResult(rewriter.getIndexAttr(typeStrides[dim]));
      AffineExpr product = rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
      if (dim != group.front())
        stride = affine::makeComposedFoldedAffineApply(rewriter, loc, product,
                                                       {strides[dim], sizes[dim]});
    }
  }
  OpFoldResult offset = ShapedType::isDynamic(typeOffset)
                            ? source.getConstifiedMixedOffset()
                            : OpFoldResult(rewriter.getIndexAttr(typeOffset));
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), source.getBaseBuffer(), offset, sizes, strides);
}

} // namespace

int64_t lowerDynamicExpansions(func::FuncOp function) {
  SmallVector<memref::ExpandShapeOp> found;
  function.walk([&](memref::ExpandShapeOp op) {
    if (hasSeveralDynamic(op))
      found.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (memref::ExpandShapeOp op : found)
    lower(rewriter, op);
  return found.size();
}

namespace {

struct LowerDynamicExpansionsPass
    : impl::LowerDynamicExpansionsPassBase<LowerDynamicExpansionsPass> {
  void runOnOperation() override { numLowered += lowerDynamicExpansions(getOperation()); }
};

} // namespace
} // namespace kgen
