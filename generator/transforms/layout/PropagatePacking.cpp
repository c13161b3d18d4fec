// Packed layouts through everything that does not care about layout.
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROPAGATEPACKINGPASS
#include "transforms/Passes.h.inc"

namespace {

struct PropagatePackingPass : impl::PropagatePackingPassBase<PropagatePackingPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateDataLayoutPropagationPatterns(
        patterns, [](OpOperand *) { return true; }, /*PoisonPaddingOk=*/true);
    linalg::populateFoldIntoPackAndUnpackPatterns(patterns);
    linalg::populateFoldPackUnpackIntoTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
