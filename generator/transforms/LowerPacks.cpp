// Packs of run-time operands: upstream's decomposition, since linalg.pack does not bufferize.
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERPACKSPASS
#include "transforms/Passes.h.inc"

namespace {

struct LowerPacksPass : impl::LowerPacksPassBase<LowerPacksPass> {
  void runOnOperation() override {
    SmallVector<linalg::PackOp> packs;
    getOperation().walk([&](linalg::PackOp pack) { packs.push_back(pack); });
    IRRewriter rewriter(&getContext());
    for (linalg::PackOp pack : packs) {
      rewriter.setInsertionPoint(pack);
      if (failed(linalg::lowerPack(rewriter, pack))) {
        pack.emitError("cannot lower this pack");
        return signalPassFailure();
      }
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<linalg::DecomposePadOpPattern>(&getContext());
    tensor::PadOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
