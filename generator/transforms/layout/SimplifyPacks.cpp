// Replaces packs and unpacks that only regroup dimensions by reshapes.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/layout/PackChanges.h"

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
    PackChanges packs(getOperation());
    RewritePatternSet patterns(&getContext());
    linalg::populateSimplifyPackAndUnpackPatterns(patterns);
    linalg::populateFoldIntoPackAndUnpackPatterns(patterns);
    linalg::populateFoldPackUnpackIntoTensorEmptyPatterns(patterns);
    linalg::PackOp::getCanonicalizationPatterns(patterns, &getContext());
    linalg::UnPackOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    numKept += packs.kept();
    numRemoved += packs.removed();
    DecisionLog log(getOperation(), getArgument());
    packs.record(log, "a pack or unpack that moves nothing is a reshape",
                 "the pack or unpack moves or pads elements");
  }
};

} // namespace
} // namespace kgen
