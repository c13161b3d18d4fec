// A value that is rounded to a narrower type and widened again at once keeps its digits instead.
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDTRUNCEXTPASS
#include "transforms/Passes.h.inc"

namespace {

/// The value below a rounding in the same body to a type that is computed with in the wider one, or
/// null. A rounding that names its mode is asked for by the graph.
Value wideValue(arith::ExtFOp widened) {
  auto narrowed = widened.getIn().getDefiningOp<arith::TruncFOp>();
  bool elided = narrowed && !narrowed.getRoundingmode() &&
                narrowed->getBlock() == widened->getBlock() &&
                narrowed.getIn().getType() == widened.getType() &&
                accumulatorOf(narrowed.getType()) == widened.getType();
  return elided ? narrowed.getIn() : Value();
}

struct FoldTruncExtPass : impl::FoldTruncExtPassBase<FoldTruncExtPass> {
  void runOnOperation() override {
    SmallVector<arith::ExtFOp> found;
    getOperation().walk([&](arith::ExtFOp op) {
      Operation *parent = op->getParentOp();
      if (isa<linalg::LinalgOp>(parent) || isa_and_nonnull<tpp::TppDialect>(parent->getDialect()))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (arith::ExtFOp op : found) {
      Value wide = wideValue(op);
      if (!wide)
        continue;
      Operation *narrowed = op.getIn().getDefiningOp();
      rewriter.replaceOp(op, wide);
      if (narrowed->use_empty())
        rewriter.eraseOp(narrowed);
    }
  }
};

} // namespace
} // namespace kgen
