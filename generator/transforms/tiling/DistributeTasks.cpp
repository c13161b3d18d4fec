// Grids of tasks on tensors: an operation with the producers that can be fused into its tiles.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/Passes.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Iterators.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DISTRIBUTETASKSPASS
#include "transforms/tiling/Passes.h.inc"

namespace {

struct DistributeTasksPass : impl::DistributeTasksPassBase<DistributeTasksPass> {
  void runOnOperation() override {
    if (!requireTarget(getOperation()) || failed(verifyUserTiles(getOperation())))
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    SmallVector<Operation *> configured = configuredOps();
    for (Operation *root : configured)
      if (!root->use_empty() && failed(distribute(root, configured, log)))
        return signalPassFailure();
    if (failed(foldTensorEmpty(getOperation())))
      signalPassFailure();
  }

private:
  /// The operations outside of tasks that have tile sizes, the last one first.
  SmallVector<Operation *> configuredOps() {
    SmallVector<Operation *> found;
    getOperation().walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
      if (isa<scf::ForallOp>(op))
        return WalkResult::skip();
      if (DenseI64ArrayAttr tiles = taskTilesOf(op); tiles && !tiles.empty())
        found.push_back(op);
      return WalkResult::advance();
    });
    return found;
  }

  LogicalResult distribute(Operation *root, ArrayRef<Operation *> configured, DecisionLog &log) {
    ArrayRef<int64_t> tiles = taskTilesOf(root);
    if (isUntiled(tiles))
      return success();
    FusionGroup group(root, tiles, configured);
    group.traceRefusals();
    ++numDistributed;
    numFused += group.operations().size() - 1;
    if (group.operations().size() > 1 && log.isOn())
      log.add("applied", group.location(), log.details().set("what", "share a grid of tasks"));
    return group.tile(FusionGroup::Loop::parallel);
  }
};

} // namespace
} // namespace kgen
