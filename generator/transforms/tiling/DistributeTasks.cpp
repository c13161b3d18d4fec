// Grids of tasks on tensors: an operation with the producers that can be fused into its tiles.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/CollapseDimensions.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DISTRIBUTETASKSPASS
#include "transforms/Passes.h.inc"

namespace {

struct DistributeTasksPass : impl::DistributeTasksPassBase<DistributeTasksPass> {
  using DistributeTasksPassBase::DistributeTasksPassBase;

  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    if (failed(expandLayoutTransposes()))
      return signalPassFailure();
    collapseElementwise(getOperation().getBody().front());
    SmallVector<Operation *> roots;
    collectRoots(getOperation().getBody().front(), roots);
    for (Operation *root : roots)
      if (!root->use_empty() && failed(distribute(root, target, log)))
        return signalPassFailure();
    if (failed(foldTensorEmpty(getOperation())))
      signalPassFailure();
  }

private:
  /// Expands layout transposes to the dimensions in which windows read their result, some of which
  /// may be of size 1.
  LogicalResult expandLayoutTransposes() {
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, [](OpOperand *reshaped) {
      Operation *producer = reshaped->get().getDefiningOp();
      return producer && isLayoutTranspose(producer) &&
             isReadByWindows(reshaped->getOwner()->getOpResult(0));
    });
    return applyPatternsGreedily(getOperation(), std::move(patterns));
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
      if (isElementwise(op) && llvm::none_of(op->getOperands(), isTiledTogether) &&
          llvm::none_of(op->getUsers(), isTileable))
        unfused.push_back(op);
    IRRewriter rewriter(block.getParentOp()->getContext());
    for (linalg::GenericOp op : unfused)
      collapseDimensions(rewriter, op);
  }

  static bool isElementwise(linalg::GenericOp op) {
    return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops() &&
           !op.hasIndexSemantics() && isTileable(op) &&
           llvm::all_of(op.getIndexingMapsArray(),
                        [](AffineMap map) { return map.isIdentity() || map.getNumResults() == 0; });
  }

  static bool isTiledTogether(Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isTileable(producer);
  }

  /// Collects the tileable operations of the block and of the sequential loops in it, the last
  /// one first.
  void collectRoots(Block &block, SmallVectorImpl<Operation *> &roots) {
    for (Operation &op : llvm::reverse(block)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        collectRoots(*loop.getBody(), roots);
      else if (isTileable(&op))
        roots.push_back(&op);
    }
  }

  LogicalResult distribute(Operation *root, TargetAttr target, DecisionLog &log) {
    SmallVector<int64_t> tiles = tilesAlone(root, target);
    SmallVector<Operation *> excluded = partialResults(root);
    // An operation too small for tasks may be large enough together with its producers.
    if (isUntiled(tiles)) {
      tiles = taskTiles(root, std::numeric_limits<int64_t>::max(), target);
      tiles = taskTiles(root, FusionGroup(root, tiles, excluded).work() / taskWork, target);
    }
    if (isUntiled(tiles)) {
      if (workOf(root) >= taskWork)
        refuse(log, root->getLoc(),
               workOf(root) < 2 * taskWork ? "less work than two tasks" : "no loop can be tiled");
      return success();
    }
    if (FusionGroup group(root, tiles, excluded); group.tilesRows(target.cpu().pageBytes))
      for (Operation *member : group.operations())
        excluded.append(partialResults(member));
    SmallVector<tpp::ContractionOpInterface> inside =
        FusionGroup(root, tiles, excluded).contractions();
    if (!inside.empty() && inside.front() != root)
      if (auto matching = tilesMatching(root, inside.front(), tilesAlone(inside.front(), target)))
        tiles = *matching;
    // Contractions that would get too small tiles are excluded: they get tasks of their own.
    while (true) {
      FusionGroup group(root, tiles, excluded);
      inside = group.contractions();
      auto tooSmall = llvm::find_if(inside, [&](tpp::ContractionOpInterface op) {
        return op != root && hasTooSmallTiles(group.tilesOf(op), tilesAlone(op, target), op);
      });
      if (tooSmall == inside.end()) {
        ++numDistributed;
        numFused += group.operations().size() - 1;
        if (group.operations().size() > 1 && log.isOn())
          log.add("applied", group.location(), log.details().set("what", "share a grid of tasks"));
        return group.tile(FusionGroup::Loop::parallel);
      }
      refuse(log, (*tooSmall)->getLoc(),
             "its tiles would be too small in the tasks of its consumer");
      excluded.push_back(*tooSmall);
    }
  }

  void refuse(DecisionLog &log, Location nodes, StringRef why) {
    ++numRefused;
    log.add("refused", nodes, log.details().set("why", why));
  }

  /// Returns the reductions of large slices whose results `op` reduces. They get tasks of their
  /// own: tiled by the few results of `op`, their tasks would read narrow slices.
  static SmallVector<Operation *> partialResults(Operation *op) {
    const int64_t minReduced = cpuOf(op).heuristics.minReducedElements;
    SmallVector<Operation *> found;
    auto reduction = dyn_cast<linalg::GenericOp>(op);
    if (!reduction || reduction.getNumReductionLoops() == 0)
      return found;
    SmallVector<unsigned> loops;
    reduction.getReductionDims(loops);
    for (OpOperand *input : reduction.getDpsInputOperands()) {
      auto producer = input->get().getDefiningOp<linalg::GenericOp>();
      AffineMap map = reduction.getMatchingIndexingMap(input);
      auto isReducedHere = [&](unsigned loop) { return map.isFunctionOfDim(loop); };
      if (producer && elementsReduced(producer) >= minReduced && llvm::any_of(loops, isReducedHere))
        found.push_back(producer);
    }
    return found;
  }

  static int64_t elementsReduced(linalg::GenericOp op) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    int64_t count = 1;
    for (unsigned loop : loops)
      count *= op.getStaticLoopRanges()[loop];
    return count;
  }

  static bool isUntiled(ArrayRef<int64_t> tiles) {
    return llvm::all_of(tiles, [](int64_t tile) { return tile == 0; });
  }

  SmallVector<int64_t> tilesAlone(Operation *op, TargetAttr target) const {
    return taskTiles(op, workOf(op) / taskWork, target);
  }

  /// Returns tile sizes for the loops of `root` that tile `producer` by `wanted`, if there are any.
  static std::optional<SmallVector<int64_t>>
  tilesMatching(Operation *root, tpp::ContractionOpInterface producer, ArrayRef<int64_t> wanted) {
    SmallVector<utils::IteratorType> loops = cast<TilingInterface>(root).getLoopIteratorTypes();
    SmallVector<int64_t> result(loops.size()), reached(wanted.size());
    for (auto [loop, kind] : llvm::enumerate(loops)) {
      if (kind != utils::IteratorType::parallel)
        continue;
      SmallVector<int64_t> single(loops.size());
      single[loop] = 1;
      FusionGroup group(root, single);
      if (!group.contains(producer))
        continue;
      for (auto [own, tile] : llvm::enumerate(group.tilesOf(producer)))
        if (tile != 0)
          result[loop] = reached[own] = wanted[own];
    }
    if (isUntiled(wanted) || reached != wanted)
      return std::nullopt;
    return result;
  }

  /// True if the tiles have fewer rows or columns than the contraction would choose, so that it
  /// would read its operands more often.
  static bool hasTooSmallTiles(ArrayRef<int64_t> tiles, ArrayRef<int64_t> wanted,
                               tpp::ContractionOpInterface contraction) {
    SmallVector<int64_t> sizes = contraction.getIterationSizes();
    for (size_t loop = contraction.getBatchRank(); loop < tiles.size(); ++loop)
      if (tiles[loop] != 0 && tiles[loop] < (wanted[loop] ? wanted[loop] : sizes[loop]))
        return !isUntiled(wanted);
    return false;
  }
};

} // namespace
} // namespace kgen
