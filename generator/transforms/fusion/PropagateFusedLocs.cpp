// Fused locations: an operation's location names every node that it computes. Upstream's fusion
// keeps the locations of producers in the body only.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROPAGATEFUSEDLOCSPASS
#include "transforms/Passes.h.inc"

namespace {

struct PropagateFusedLocsPass : impl::PropagateFusedLocsPassBase<PropagateFusedLocsPass> {
  using PropagateFusedLocsPassBase::PropagateFusedLocsPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    getOperation().walk([&](linalg::LinalgOp op) {
      Location all = gatherLocation(op);
      if (all == op.getLoc())
        return;
      op->setLoc(all);
      log.add("fused", all, log.details());
      ++numFused;
    });
  }
};

} // namespace
} // namespace kgen
