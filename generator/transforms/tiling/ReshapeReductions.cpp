#include "transforms/tiling/ReshapeReductions.h"

#include "dialect/kgen/DecisionLog.h"
#include "transforms/tiling/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RESHAPEREDUCTIONSPASS
#include "transforms/tiling/Passes.h.inc"

namespace {

struct ReshapeReductionsPass : impl::ReshapeReductionsPassBase<ReshapeReductionsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    RewriteCounts inner = transposeInnerReductions(getOperation(), target, log);
    RewriteCounts outer = splitOuterReductions(getOperation(), log);
    numTransposed += inner.rewritten;
    numSplit += outer.rewritten;
    numRefused += inner.refused + outer.refused;
  }
};

} // namespace
} // namespace kgen
