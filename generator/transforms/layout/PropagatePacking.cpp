// Propagates packed layouts through elementwise operations, broadcasts and reshapes, and simplifies
// what is left.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/RefusalListener.h"
#include "transforms/layout/PackChanges.h"
#include "transforms/layout/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROPAGATEPACKINGPASS
#include "transforms/layout/Passes.h.inc"

namespace {

struct PropagatePackingPass : impl::PropagatePackingPassBase<PropagatePackingPass> {
  using PropagatePackingPassBase::PropagatePackingPassBase;

  void runOnOperation() override {
    PackChanges packs(getOperation());
    RewritePatternSet patterns(&getContext());
    if (simplify) {
      linalg::populateSimplifyPackAndUnpackPatterns(patterns);
      linalg::PackOp::getCanonicalizationPatterns(patterns, &getContext());
      linalg::UnPackOp::getCanonicalizationPatterns(patterns, &getContext());
    } else
      linalg::populateDataLayoutPropagationPatterns(
          patterns, [](OpOperand *) { return true; }, /*PoisonPaddingOk=*/true);
    linalg::populateFoldIntoPackAndUnpackPatterns(patterns);
    linalg::populateFoldPackUnpackIntoTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     GreedyRewriteConfig().setListener(refusalListener()))))
      return signalPassFailure();
    numKept += packs.kept();
    numRemoved += packs.removed();
    DecisionLog log(getOperation(), getArgument());
    if (simplify)
      packs.record(log, "a pack or unpack that moves nothing is a reshape",
                   "the pack or unpack moves or pads elements");
    else
      packs.record(log, "the pack or unpack moves towards one that reverses it",
                   "the pack or unpack stays, unless it reverses a neighbour");
  }
};

} // namespace
} // namespace kgen
