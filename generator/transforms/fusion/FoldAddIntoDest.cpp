// The addend of a contraction becomes its accumulator, where nobody else needs the addend.
#include "transforms/Passes.h"
#include "transforms/analysis/OperandLiveness.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDADDINTODESTPASS
#include "transforms/Passes.h.inc"

namespace {

/// Whether `value` is the result of a contraction, or of elementwise operations that will become
/// the epilogue of one. Other elementwise addends are better read where they come from, in the
/// epilogue of the contraction that they are added to.
bool endsContraction(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return false;
  if (linalg::isaContractionOpInterface(op))
    return true;
  return op.getNumLoops() == op.getNumParallelLoops() && isa<linalg::GenericOp>(op) &&
         llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return input.getType() == value.getType() && isLastUse(input, op) &&
                  endsContraction(input);
         });
}

/// Whether `op` is `a + b` of floats, element by element.
bool isAdd(linalg::LinalgOp op) {
  if (isa<linalg::AddOp>(op))
    return true;
  Block &body = *op.getBlock();
  return isa<linalg::GenericOp>(op) && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap m) { return m.isIdentity(); }) &&
         llvm::range_size(body.without_terminator()) == 1 && isa<arith::AddFOp>(body.front());
}

/// Whether one operand of the sum `op` is an addend that may be lost, and the other a contraction
/// that comes after it.
bool canAccumulate(linalg::LinalgOp op) {
  auto accumulatesInto = [&](Value addend, Value sum) {
    auto contraction = sum.getDefiningOp<linalg::LinalgOp>();
    return contraction && linalg::isaContractionOpInterface(contraction) && isLastUse(sum, op) &&
           isLastUse(addend, op) && endsContraction(addend) &&
           addend.getDefiningOp()->isBeforeInBlock(contraction);
  };
  if (!op.hasPureTensorSemantics() || !isAdd(op))
    return false;
  Value x = op.getDpsInputs()[0], y = op.getDpsInputs()[1];
  return x != y && (accumulatesInto(x, y) || accumulatesInto(y, x));
}

struct FoldAddIntoDestPass : impl::FoldAddIntoDestPassBase<FoldAddIntoDestPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> sums;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (canAccumulate(op))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> adds;
    for (linalg::LinalgOp op : sums) {
      // Upstream's pattern knows sums by name.
      rewriter.setInsertionPoint(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(*op))
        if (auto named = linalg::specializeGenericOp(rewriter, generic); succeeded(named))
          op = *named;
      adds.push_back(op);
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldAddIntoDestPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(adds, std::move(patterns), config)))
      signalPassFailure();
    // The pattern leaves sums behind that nobody uses.
    getOperation().walk([](linalg::AddOp op) {
      if (op->use_empty())
        op.erase();
    });
  }
};

} // namespace
} // namespace kgen
