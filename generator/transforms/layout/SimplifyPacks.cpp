// Packs and unpacks that only rename dimensions become reshapes.
#include "transforms/Passes.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SIMPLIFYPACKSPASS
#include "transforms/Passes.h.inc"

namespace {

struct SimplifyPacksPass : impl::SimplifyPacksPassBase<SimplifyPacksPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateSimplifyPackAndUnpackPatterns(patterns);
    linalg::populateFoldIntoPackAndUnpackPatterns(patterns);
    linalg::populateFoldPackUnpackIntoTensorEmptyPatterns(patterns);
    linalg::PackOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::UnPackOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
