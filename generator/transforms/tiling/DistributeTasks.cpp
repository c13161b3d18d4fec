// Grids of tasks on tensors: an operation with everything that can be computed beside it.
#include "transforms/Passes.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/TaskTileSizes.h"
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
    if (failed(turnToDimensionsOfWindows()))
      return signalPassFailure();
    lengthenLoops(getOperation().getBody().front());
    SmallVector<Operation *> anchors;
    collect(getOperation().getBody().front(), anchors);
    for (Operation *anchor : anchors)
      if (!anchor->use_empty() && failed(cut(anchor, target)))
        return signalPassFailure();
    if (failed(foldTensorEmpty(getOperation())))
      signalPassFailure();
  }

private:
  /// What turns an image gets the dimensions in which windows read it, of which some may be of
  /// size 1.
  LogicalResult turnToDimensionsOfWindows() {
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

  /// An elementwise operation on whole tensors, which nothing is cut together with, gets one loop:
  /// tasks are whole lines then, whatever its dimensions are.
  static void lengthenLoops(Block &block) {
    SmallVector<linalg::GenericOp> alone;
    for (auto op : block.getOps<linalg::GenericOp>())
      if (isElementwise(op) && llvm::none_of(op->getOperands(), isCut) &&
          llvm::none_of(op->getUsers(), isTileable))
        alone.push_back(op);
    IRRewriter rewriter(block.getParentOp()->getContext());
    for (linalg::GenericOp op : alone)
      collapseDimensions(rewriter, op);
  }

  static bool isElementwise(linalg::GenericOp op) {
    return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops() &&
           !op.hasIndexSemantics() && isTileable(op) &&
           llvm::all_of(op.getIndexingMapsArray(),
                        [](AffineMap map) { return map.isIdentity() || map.getNumResults() == 0; });
  }

  static bool isCut(Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isTileable(producer);
  }

  /// Everything that can be cut in the block and in the sequential loops in it, from its end on.
  void collect(Block &block, SmallVectorImpl<Operation *> &anchors) {
    for (Operation &op : llvm::reverse(block)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        collect(*loop.getBody(), anchors);
      else if (isTileable(&op))
        anchors.push_back(&op);
    }
  }

  LogicalResult cut(Operation *anchor, TargetAttr target) {
    SmallVector<int64_t> tiles = ownTiles(anchor, target);
    SmallVector<Operation *> apart = partialResults(anchor);
    // What is too little alone may be worth it with its producers.
    if (isWhole(tiles)) {
      tiles = taskTiles(anchor, std::numeric_limits<int64_t>::max(), target);
      tiles = taskTiles(anchor, FusionGroup(anchor, tiles, apart).work() / taskWork, target);
    }
    if (isWhole(tiles))
      return success();
    if (FusionGroup group(anchor, tiles, apart); group.tilesRows(pageBytes))
      for (Operation *member : group.operations())
        apart.append(partialResults(member));
    SmallVector<tpp::ContractionOpInterface> inside =
        FusionGroup(anchor, tiles, apart).contractions();
    if (!inside.empty() && inside.front() != anchor)
      if (auto suited = tilesFor(anchor, inside.front(), ownTiles(inside.front(), target)))
        tiles = *suited;
    // Contractions that this does not suit get tasks of their own.
    while (true) {
      FusionGroup group(anchor, tiles, apart);
      inside = group.contractions();
      auto misfit = llvm::find_if(inside, [&](tpp::ContractionOpInterface op) {
        return op != anchor && isTooSmall(group.tilesOf(op), ownTiles(op, target), op);
      });
      if (misfit == inside.end())
        return group.tile(FusionGroup::Loop::parallel);
      apart.push_back(*misfit);
    }
  }

  /// Reductions of large parts, whose results an operation reduces. They have tasks of their own:
  /// to cut them as its few results would be to cut them into narrow pieces.
  static SmallVector<Operation *> partialResults(Operation *op) {
    constexpr int64_t leastPart = 8;
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
      if (producer && elementsReduced(producer) >= leastPart && llvm::any_of(loops, isReducedHere))
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

  static bool isWhole(ArrayRef<int64_t> tiles) {
    return llvm::all_of(tiles, [](int64_t tile) { return tile == 0; });
  }

  SmallVector<int64_t> ownTiles(Operation *op, TargetAttr target) const {
    return taskTiles(op, workOf(op) / taskWork, target);
  }

  /// Tiles of the anchor's loops that cut a producer's as wanted, if there are such.
  static std::optional<SmallVector<int64_t>>
  tilesFor(Operation *anchor, tpp::ContractionOpInterface producer, ArrayRef<int64_t> wanted) {
    SmallVector<utils::IteratorType> loops = cast<TilingInterface>(anchor).getLoopIteratorTypes();
    SmallVector<int64_t> result(loops.size()), met(wanted.size());
    for (auto [loop, kind] : llvm::enumerate(loops)) {
      if (kind != utils::IteratorType::parallel)
        continue;
      SmallVector<int64_t> one(loops.size());
      one[loop] = 1;
      FusionGroup group(anchor, one);
      if (!group.contains(producer))
        continue;
      for (auto [own, tile] : llvm::enumerate(group.tilesOf(producer)))
        if (tile != 0)
          result[loop] = met[own] = wanted[own];
    }
    if (isWhole(wanted) || met != wanted)
      return std::nullopt;
    return result;
  }

  /// Blocks of fewer rows or columns than the contraction would choose read its operands more often
  /// than there are caches for.
  static bool isTooSmall(ArrayRef<int64_t> tiles, ArrayRef<int64_t> wanted,
                         tpp::ContractionOpInterface contraction) {
    SmallVector<int64_t> sizes = contraction.getIterationSizes();
    for (size_t loop = contraction.getBatchRank(); loop < tiles.size(); ++loop)
      if (tiles[loop] != 0 && tiles[loop] < (wanted[loop] ? wanted[loop] : sizes[loop]))
        return !isWhole(wanted);
    return false;
  }
};

} // namespace
} // namespace kgen
