// One pass decides on tiles: those of tasks before there are any, those of caches inside of them.
#include "transforms/tiling/SelectTiling.h"

#include "analysis/AccessPattern.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/RefusalListener.h"
#include "dialect/kgen/Schedule.h"
#include "dialect/kgen/Stores.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/NodeTiles.h"
#include "transforms/tiling/Passes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/SelectVectors.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

#include <llvm/ADT/MapVector.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SELECTTILINGPASS
#include "transforms/tiling/Passes.h.inc"

namespace {

struct SelectTilingPass : impl::SelectTilingPassBase<SelectTilingPass> {
  using SelectTilingPassBase::SelectTilingPassBase;

  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    DecisionLog log(getOperation(), getArgument());
    if (!target || failed(select(target, log)))
      signalPassFailure();
  }

private:
  LogicalResult select(TargetAttr target, DecisionLog &log) {
    switch (level) {
    case TilingLevel::distribution:
      return selectTasks(target, log);
    case TilingLevel::cache:
      return selectCaches(target, log);
    case TilingLevel::vector:
      return selectVectorLoops(target, log);
    }
    llvm_unreachable("all levels are cases");
  }

  LogicalResult selectTasks(TargetAttr target, DecisionLog &log) {
    if (failed(expandLayoutTransposes()))
      return failure();
    collapseElementwise(getOperation().getBody().front());
    SmallVector<Operation *> roots = possibleRoots(getOperation());
    if (failed(applyUserTiles(getOperation(), taskTileKind, {roots})) ||
        failed(applyUserRegisterTiles(getOperation(), roots)) ||
        failed(applyUserProviders(getOperation(), roots)) ||
        failed(verifyUserTiles(getOperation())))
      return failure();
    count(selectTaskTiles(getOperation(), taskWork, target, log));
    recordTiles(taskTileKind, {roots}, log);
    recordTiles(registerTileKind, {roots}, log);
    recordChoice("provider", providerChoice, {roots}, log);
    return success();
  }

  LogicalResult selectCaches(TargetAttr target, DecisionLog &log) {
    SmallVector<SmallVector<Operation *>> chains = possibleChains(getOperation());
    if (failed(applyUserTiles(getOperation(), cacheTileKind, chains)) ||
        failed(applyUserNonTemporal(getOperation(), chains)) ||
        failed(applyUserUnroll(getOperation(), chains, /*requireAll=*/false)) ||
        failed(verifyUserTiles(getOperation())) || failed(verifyWrittenStores()))
      return failure();
    count(selectCacheTiles(getOperation(), target, log));
    recordTiles(cacheTileKind, chains, log);
    recordChoice("non_temporal", nonTemporalChoice, chains, log);
    return success();
  }

  LogicalResult selectVectorLoops(TargetAttr target, DecisionLog &log) {
    // Again, as loops of caches have other operations in them by now.
    if (failed(applyUserUnroll(getOperation(), vectorizedOps(), /*requireAll=*/true)) ||
        failed(verifyWrittenStores()))
      return failure();
    FailureOr<VectorSelectionCounts> counts = selectVectors(getOperation(), target, log);
    if (failed(counts) || failed(verifyUnrolled(getOperation(), vectorizedOps())))
      return failure();
    getOperation()->removeAttr(nodeDecisionsAttrName);
    recordChoice("unroll", unrollChoice, vectorizedOps(), log);
    numSelected += counts->selected;
    numPreset += counts->given;
    return success();
  }

  LogicalResult verifyWrittenStores() {
    return failure(getOperation()
                       .walk([](linalg::LinalgOp op) { return WalkResult(verifyStores(op)); })
                       .wasInterrupted());
  }

  /// The operations that are vectorized, task by task, and those outside of tasks.
  SmallVector<SmallVector<Operation *>> vectorizedOps() {
    llvm::MapVector<Operation *, SmallVector<Operation *>> tasks;
    getOperation().walk(
        [&](linalg::GenericOp op) { tasks[op->getParentOfType<scf::ForallOp>()].push_back(op); });
    return llvm::to_vector(llvm::make_second_range(tasks));
  }

  void count(const SelectionCounts &counts) {
    numSelected += counts.selected;
    numPreset += counts.given;
    numRefused += counts.refused;
  }

  /// Expands layout transposes to the dimensions in which windows read their result, some of which
  /// may be of size 1.
  LogicalResult expandLayoutTransposes() {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, [](OpOperand *reshaped) {
      Operation *producer = reshaped->get().getDefiningOp();
      return producer && isLayoutTranspose(producer) &&
             isReadByWindows(reshaped->getOwner()->getOpResult(0));
    });
    return applyPatternsGreedily(getOperation(), std::move(patterns),
                                 GreedyRewriteConfig().setListener(refusalListener()));
  }

  static bool isReadByWindows(Value image) {
    return llvm::all_of(image.getUses(), [](OpOperand &use) {
      auto windows = dyn_cast<linalg::LinalgOp>(useThroughPad(use).getOwner());
      return windows && readsThroughWindows(windows);
    });
  }

  /// Collapses an elementwise operation that is fused with no other one to a single loop, so
  /// that tasks are whole cache lines whatever its dimensions are.
  static void collapseElementwise(Block &block) {
    SmallVector<linalg::GenericOp> unfused;
    for (auto op : block.getOps<linalg::GenericOp>())
      if (isElementwise(op) && !loweringConfigOf(op) &&
          llvm::none_of(op->getOperands(), isTiledTogether) &&
          llvm::none_of(op->getUsers(), isTileable))
        unfused.push_back(op);
    IRRewriter rewriter(block.getParentOp()->getContext());
    for (linalg::GenericOp op : unfused)
      collapseDimensions(rewriter, op, /*lanes=*/1);
  }

  static bool isElementwise(linalg::GenericOp op) {
    return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops() &&
           !op.hasIndexSemantics() && isTileable(op) &&
           llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
             return AccessPattern(map).isFull() || map.getNumResults() == 0;
           });
  }

  static bool isTiledTogether(Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isTileable(producer);
  }
};

} // namespace
} // namespace kgen
