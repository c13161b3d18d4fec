// Many elementwise operations become one, in pairs, and pairs of pairs.
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEELEMENTWISETREESPASS
#include "transforms/Passes.h.inc"

namespace {

/// What computes an operand and can be fused with its only user, or null.
linalg::GenericOp fusible(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  bool fits = producer && producer->hasOneUse() && linalg::areElementwiseOpsFusable(&operand);
  return fits ? producer : linalg::GenericOp();
}

struct FuseElementwiseTreesPass : impl::FuseElementwiseTreesPassBase<FuseElementwiseTreesPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops = membersOfLongChains();
    IRRewriter rewriter(&getContext());
    while (true) {
      SmallVector<linalg::GenericOp> left = fuseInPairs(rewriter, ops);
      if (left.size() == ops.size())
        return;
      ops = std::move(left);
    }
  }

private:
  static constexpr int64_t longest = 64; ///< that upstream fuses one by one

  /// In their order.
  SmallVector<linalg::GenericOp> membersOfLongChains() {
    SmallVector<linalg::GenericOp> all;
    llvm::DenseMap<Operation *, int64_t> sizes; // of what becomes one operation with it
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
      if (sizes[op] >= longest)
        isInLongChain.insert(op);
      if (isInLongChain.contains(op))
        for (OpOperand &operand : op->getOpOperands())
          if (linalg::GenericOp producer = fusible(operand))
            isInLongChain.insert(producer);
    }
    llvm::erase_if(all, [&](linalg::GenericOp op) { return !isInLongChain.contains(op); });
    return all;
  }

  /// Each with one of its producers that nothing has been fused with yet.
  static SmallVector<linalg::GenericOp> fuseInPairs(IRRewriter &rewriter,
                                                    ArrayRef<linalg::GenericOp> ops) {
    llvm::DenseSet<Operation *> alone;
    SmallVector<linalg::GenericOp> now;
    for (linalg::GenericOp op : ops) {
      auto *operand = llvm::find_if(op->getOpOperands(), [&](OpOperand &each) {
        linalg::GenericOp producer = fusible(each);
        return producer && alone.contains(producer);
      });
      if (operand == op->getOpOperands().end()) {
        alone.insert(op);
        now.push_back(op);
      } else
        now.push_back(fuse(rewriter, *operand));
    }
    for (linalg::GenericOp &op : now)
      if (op->use_empty()) {
        rewriter.eraseOp(op);
        op = nullptr;
      }
    llvm::erase(now, nullptr);
    return now;
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
