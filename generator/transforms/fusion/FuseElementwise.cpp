// Elementwise operations become one: long chains by balanced fusion, in pairs, then in pairs of
// pairs, the rest by upstream's fusion. What would be too large for one body stays several. The
// location of each names every node that it computes.
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/fusion/BodyLimits.h"
#include "transforms/fusion/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "transforms/fusion/Passes.h.inc"

namespace {

/// The operation that computes `operand` and can be fused with its only user, or null.
linalg::GenericOp fusible(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  bool fits = producer && producer->hasOneUse() && linalg::areElementwiseOpsFusable(&operand) &&
              fitsOneBody(operand);
  return fits ? producer : linalg::GenericOp();
}

/// The patterns of upstream's pass linalg-fuse-elementwise-ops, which has no limit for bodies.
void addFusionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto hasOneUse = [](OpOperand *operand) {
    Operation *producer = operand->get().getDefiningOp();
    return producer && producer->hasOneUse();
  };
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [=](OpOperand *operand) { return hasOneUse(operand) && fitsOneBody(*operand); });
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, hasOneUse);
  tensor::populateBubbleUpExpandShapePatterns(patterns);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
  linalg::populateConstantFoldLinalgOperations(patterns, hasOneUse);
}

void apply(func::FuncOp func, RewritePatternSet patterns) {
  (void)applyPatternsGreedily(func, std::move(patterns),
                              GreedyRewriteConfig().setUseTopDownTraversal());
}

struct FuseElementwisePass : impl::FuseElementwisePassBase<FuseElementwisePass> {
  using FuseElementwisePassBase::FuseElementwisePassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    fuseLongChains(log);
    if (longChainsOnly)
      return;
    RewritePatternSet patterns(&getContext());
    addFusionPatterns(patterns);
    apply(getOperation(), std::move(patterns));
    if (isDebugged())
      traceRefusals();
    gatherLocations(log);
  }

private:
  void fuseLongChains(DecisionLog &log) {
    SmallVector<linalg::GenericOp> ops = membersOfLongChains();
    if (ops.empty())
      return;
    // Into bodies of one operation: upstream takes one constant at a time, and creates the body
    // anew for it.
    takeConstantsIntoBodies();
    ops = membersOfLongChains();
    IRRewriter rewriter(&getContext());
    while (true) {
      SmallVector<linalg::GenericOp> fused = fuseInPairs(rewriter, ops);
      if (fused.size() == ops.size())
        break;
      numInPairs += ops.size() - fused.size();
      ops = std::move(fused);
    }
    for (linalg::GenericOp op : ops)
      log.add("applied", gatherLocation(op), log.details().set("what", "fused in pairs"));
  }

  /// Of elementwise operations that are still apart from their readers.
  void traceRefusals() {
    getOperation().walk([](linalg::GenericOp op) {
      for (OpOperand &operand : op->getOpOperands())
        if (auto producer = operand.get().getDefiningOp<linalg::GenericOp>())
          traceRefusal(producer.getLoc(), "is not fused into its reader: " + refusalOf(operand));
    });
  }

  /// Returns why the operation that computes `operand` is not fused.
  static StringRef refusalOf(OpOperand &operand) {
    if (!operand.get().hasOneUse())
      return "its result is read more than once";
    if (!linalg::areElementwiseOpsFusable(&operand))
      return "it reduces, or its elements are read in an order that is not known";
    if (!fitsOneBody(operand))
      return "one body would have too many operations or values";
    return "constants and reshapes between them are gone only now";
  }

  void takeConstantsIntoBodies() {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return false; });
    apply(getOperation(), std::move(patterns));
  }

  /// Upstream's fusion keeps the locations of producers in the body only.
  void gatherLocations(DecisionLog &log) {
    getOperation().walk([&](linalg::LinalgOp op) {
      Location all = gatherLocation(op);
      if (all == op.getLoc())
        return;
      op->setLoc(all);
      log.add("fused", all, log.details());
      ++numNodes;
    });
  }

  /// The length, in operations, from which a chain is fused in pairs. Upstream's fusion of a
  /// shorter one is cheap: it creates n^2 / 2 operations, 1985 for n = 63.
  static constexpr int64_t minLongChain = 64;

  /// In the order of the function.
  SmallVector<linalg::GenericOp> membersOfLongChains() {
    SmallVector<linalg::GenericOp> all;
    llvm::DenseMap<Operation *, int64_t> sizes; // of the chain that ends with an operation
    llvm::DenseSet<Operation *> isInLongChain;
    getOperation().walk([&](linalg::GenericOp op) {
      all.push_back(op);
      int64_t &size = sizes[op];
      for (OpOperand &operand : op->getOpOperands())
        if (linalg::GenericOp producer = fusible(operand))
          size += sizes.lookup(producer);
      ++size;
    });
    for (linalg::GenericOp op : llvm::reverse(all)) {
      if (sizes[op] >= minLongChain)
        isInLongChain.insert(op);
      if (isInLongChain.contains(op))
        for (OpOperand &operand : op->getOpOperands())
          if (linalg::GenericOp producer = fusible(operand))
            isInLongChain.insert(producer);
    }
    llvm::erase_if(all, [&](linalg::GenericOp op) { return !isInLongChain.contains(op); });
    return all;
  }

  /// Fuses each operation with the first of its producers that is not fused yet, and returns all
  /// that are left.
  static SmallVector<linalg::GenericOp> fuseInPairs(IRRewriter &rewriter,
                                                    ArrayRef<linalg::GenericOp> ops) {
    llvm::DenseSet<Operation *> unfused;
    SmallVector<linalg::GenericOp> left;
    for (linalg::GenericOp op : ops) {
      auto *operand = llvm::find_if(op->getOpOperands(), [&](OpOperand &each) {
        linalg::GenericOp producer = fusible(each);
        return producer && unfused.contains(producer);
      });
      if (operand == op->getOpOperands().end()) {
        unfused.insert(op);
        left.push_back(op);
      } else
        left.push_back(fuse(rewriter, *operand));
    }
    for (linalg::GenericOp &op : left)
      if (op->use_empty()) {
        rewriter.eraseOp(op);
        op = nullptr;
      }
    llvm::erase(left, nullptr);
    return left;
  }

  static linalg::GenericOp fuse(IRRewriter &rewriter, OpOperand &operand) {
    Operation *op = operand.getOwner();
    rewriter.setInsertionPoint(op);
    linalg::ElementwiseOpFusionResult fused = *linalg::fuseElementwiseOps(rewriter, &operand);
    for (Value result : op->getResults())
      rewriter.replaceAllUsesWith(result, fused.replacements.lookup(result));
    rewriter.eraseOp(op);
    return cast<linalg::GenericOp>(fused.fusedOp);
  }
};

} // namespace
} // namespace kgen
