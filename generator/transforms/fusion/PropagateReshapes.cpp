// Reshapes move after the elementwise operations that follow a contraction, so that those can be
// its epilogue.
#include "analysis/ViewSource.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/RefusalListener.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/fusion/Passes.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROPAGATERESHAPESPASS
#include "transforms/fusion/Passes.h.inc"

namespace {

/// True for the old value of a state of the function, which the next one takes the place of.
bool isState(Value destination) {
  return isa<TensorType>(destination.getType()) &&
         viewSource(destination).getDefiningOp<bufferization::ToTensorOp>();
}

/// The tensor.expand_shape or tensor.collapse_shape whose result is stored in a buffer, or in that
/// of a state, or null.
Operation *reshapeOf(bufferization::MaterializeInDestinationOp op) {
  Operation *source = op.getSource().getDefiningOp();
  bool isMemory = isa<MemRefType>(op.getDest().getType()) || isState(op.getDest());
  return isMemory && isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(source)
             ? source
             : nullptr;
}

/// True if a view of the destination has the shape that `reshape` reads. Dimensions of the
/// destination that become one must be contiguous; a dimension can always become several.
bool isReshapable(MemRefType destination, Operation *reshape) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  return !expand || memref::CollapseShapeOp::isGuaranteedCollapsible(
                        destination, expand.getReassociationIndices());
}

/// The reassociation of a tensor.expand_shape or tensor.collapse_shape.
SmallVector<ReassociationIndices> reassociationOf(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return expand.getReassociationIndices();
  return cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
}

/// `tensor` as it is before (`isInverse`) or after a reshape from `source`.
Value reshapedLike(OpBuilder &b, Location loc, Value tensor, Operation *reshape, bool isInverse) {
  auto type = cast<RankedTensorType>(isInverse ? reshape->getOperand(0).getType()
                                               : reshape->getResult(0).getType());
  SmallVector<ReassociationIndices> groups = reassociationOf(reshape);
  if (isa<tensor::ExpandShapeOp>(reshape) == isInverse)
    return tensor::CollapseShapeOp::create(b, loc, type, tensor, groups);
  return tensor::ExpandShapeOp::create(b, loc, type, tensor, groups);
}

/// Puts the source of a reshape in the place of a state in the shape of the source.
struct ReshapeState : OpRewritePattern<bufferization::MaterializeInDestinationOp> {
  ReshapeState(MLIRContext *context, llvm::function_ref<void(Location)> onRewrite)
      : OpRewritePattern(context), onRewrite(onRewrite) {}

  LogicalResult matchAndRewrite(bufferization::MaterializeInDestinationOp op,
                                PatternRewriter &rewriter) const override {
    Operation *reshape = isState(op.getDest()) ? reshapeOf(op) : nullptr;
    if (!reshape || !cast<ShapedType>(reshape->getOperand(0).getType()).hasStaticShape())
      return rewriter.notifyMatchFailure(op, "no reshape of known sizes is stored in a state");
    Location loc = op.getLoc();
    rewriter.setInsertionPointAfterValue(op.getDest());
    Value state = reshapedLike(rewriter, loc, op.getDest(), reshape, /*isInverse=*/true);
    rewriter.setInsertionPoint(op);
    Value next = bufferization::MaterializeInDestinationOp::create(rewriter, loc, state.getType(),
                                                                   reshape->getOperand(0), state)
                     .getResult();
    rewriter.replaceOp(op, reshapedLike(rewriter, loc, next, reshape, /*isInverse=*/false));
    onRewrite(loc);
    return success();
  }

private:
  llvm::function_ref<void(Location)> onRewrite;
};

/// Stores the source of a reshape into a reshaped view of the destination instead of copying it.
struct ReshapeDestination : OpRewritePattern<bufferization::MaterializeInDestinationOp> {
  ReshapeDestination(MLIRContext *context, llvm::function_ref<void(Location)> onRewrite)
      : OpRewritePattern(context), onRewrite(onRewrite) {}

  LogicalResult matchAndRewrite(bufferization::MaterializeInDestinationOp op,
                                PatternRewriter &rewriter) const override {
    Operation *reshape = isState(op.getDest()) ? nullptr : reshapeOf(op);
    if (!reshape)
      return rewriter.notifyMatchFailure(op, "no reshape is stored in a memref");
    Value source = reshape->getOperand(0);
    auto sourceType = cast<RankedTensorType>(source.getType());
    if (!isReshapable(cast<MemRefType>(op.getDest().getType()), reshape))
      return rewriter.notifyMatchFailure(op, "elements of the destination are not contiguous");
    Location loc = op.getLoc();
    Value reshaped;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      reshaped = memref::CollapseShapeOp::create(rewriter, loc, op.getDest(),
                                                 expand.getReassociationIndices());
    else
      reshaped = memref::ExpandShapeOp::create(
          rewriter, loc, sourceType.getShape(), op.getDest(),
          cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices(),
          sizesOf(rewriter, loc, source));
    rewriter.modifyOpInPlace(op, [&] {
      op.getSourceMutable().assign(source);
      op.getDestMutable().assign(reshaped);
    });
    onRewrite(loc);
    return success();
  }

private:
  llvm::function_ref<void(Location)> onRewrite;
};

/// False where upstream would move a tensor.pad in front of the reshape of a scalar, which has no
/// dimension to pad.
bool mayMoveReshape(OpOperand *operand) {
  auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  return !expand || expand.getSrcType().getRank() > 0 || !isa<tensor::PadOp>(operand->getOwner());
}

struct PropagateReshapesPass : impl::PropagateReshapesPassBase<PropagateReshapesPass> {
  using PropagateReshapesPassBase::PropagateReshapesPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    auto onRewrite = [&](Location loc) {
      log.add("applied", loc, log.details().set("what", "stored through a view of another shape"));
      ++numReshaped;
    };
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns, mayMoveReshape);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<ReshapeDestination, ReshapeState>(&getContext(), onRewrite);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setListener(refusalListener()))))
      return signalPassFailure();
    getOperation().walk([&](bufferization::MaterializeInDestinationOp op) {
      if (!reshapeOf(op))
        return;
      log.add("refused", op.getLoc(),
              log.details().set("why", "elements of the destination are not contiguous"));
      ++numRefused;
    });
  }
};

} // namespace
} // namespace kgen
