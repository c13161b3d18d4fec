// Elementwise operations after an unpack work on packed tiles.
#include "dialect/kgen/RefusalListener.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PUSHUNPACKSPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

struct PushUnpacksPass : impl::PushUnpacksPassBase<PushUnpacksPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateDataLayoutPropagationPatterns(patterns, [&](OpOperand *operand) {
      bool isPushed = isa_and_nonnull<linalg::UnPackOp>(operand->get().getDefiningOp()) &&
                      isa<linalg::GenericOp>(operand->getOwner());
      numPushed += isPushed;
      return isPushed;
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setListener(refusalListener()))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
