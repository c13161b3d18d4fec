// Reshapes move away from contractions, so that what follows a contraction can be fused into it.
#include "transforms/Passes.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROPAGATERESHAPESPASS
#include "transforms/Passes.h.inc"

namespace {

/// Whether what `reshape` reads could be stored into a part of a buffer as it is. Dimensions that
/// become one must be contiguous; one that becomes several always fits.
bool isReshapable(MemRefType destination, Operation *reshape) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  return !expand || memref::CollapseShapeOp::isGuaranteedCollapsible(
                        destination, expand.getReassociationIndices());
}

/// A reshaped result is stored into the reshaped destination, instead of being copied.
struct ReshapeDestination : OpRewritePattern<bufferization::MaterializeInDestinationOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(bufferization::MaterializeInDestinationOp op,
                                PatternRewriter &rewriter) const override {
    auto destination = dyn_cast<MemRefType>(op.getDest().getType());
    if (!destination)
      return rewriter.notifyMatchFailure(op, "the destination is not a memref");
    Operation *reshape = op.getSource().getDefiningOp();
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape))
      return rewriter.notifyMatchFailure(op, "the source is not a reshape");
    Value source = reshape->getOperand(0);
    auto sourceType = cast<RankedTensorType>(source.getType());
    if (!sourceType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, "the shape is not static");
    Location loc = op.getLoc();
    Value reshaped;
    if (!isReshapable(destination, reshape))
      return rewriter.notifyMatchFailure(op, "elements of the destination are apart");
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      reshaped = memref::CollapseShapeOp::create(rewriter, loc, op.getDest(),
                                                 expand.getReassociationIndices());
    else
      reshaped = memref::ExpandShapeOp::create(
          rewriter, loc, sourceType.getShape(), op.getDest(),
          cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
    rewriter.modifyOpInPlace(op, [&] {
      op.getSourceMutable().assign(source);
      op.getDestMutable().assign(reshaped);
    });
    return success();
  }
};

/// Upstream moves a pad before the reshape of a scalar, where it has no dimension to pad.
bool mayMoveReshape(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return !expand || expand.getSrcType().getRank() > 0 || !isa<tensor::PadOp>(operand->getOwner());
}

struct PropagateReshapesPass : impl::PropagateReshapesPassBase<PropagateReshapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, mayMoveReshape);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<ReshapeDestination>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
