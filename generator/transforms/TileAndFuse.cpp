// Grids of tasks on tensors: an operation with everything that can be computed beside it.
#include "dialect/kgen/Decisions.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/TaskTiles.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TILEANDFUSEPASS
#include "transforms/Passes.h.inc"

namespace {

/// The operations that one grid of tasks computes. For each one: which of its loops each dimension
/// of the grid cuts.
class TaskGroup {
public:
  /// What is in `apart` stays out of it, with all that only that reads.
  TaskGroup(Operation *anchor, ArrayRef<int64_t> tiles, ArrayRef<Operation *> apart = {})
      : anchor(anchor), apart(apart.begin(), apart.end()), tiles(tiles) {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < tiles.size(); ++loop)
      if (tiles[loop] != 0)
        loops.push_back(loop);
    members[anchor] = loops;
    while (addProducer()) {
    }
  }

  bool contains(Operation *op) const { return members.contains(op); }
  int64_t work() const {
    int64_t sum = 0;
    for (const auto &[op, loops] : members)
      sum += workOf(op);
    return sum;
  }

  /// The most work first.
  SmallVector<tpp::ContractionOpInterface> contractions() const {
    SmallVector<tpp::ContractionOpInterface> found;
    for (const auto &[op, loops] : members)
      if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
        found.push_back(contraction);
    llvm::stable_sort(found, [](auto a, auto b) { return workOf(a) > workOf(b); });
    return found;
  }

  /// Tile sizes of a member's loops, 0 where a loop stays whole.
  SmallVector<int64_t> tilesOf(tpp::ContractionOpInterface member) const {
    SmallVector<int64_t> sizes;
    for (int64_t tile : tiles)
      if (tile != 0)
        sizes.push_back(tile);
    SmallVector<int64_t> result(member.getIterationSizes().size());
    for (auto [loop, size] : llvm::zip_equal(members.find(member)->second, sizes))
      result[loop] = size;
    return result;
  }

  /// Replaces the operations by an scf.forall.
  LogicalResult tile() {
    IRRewriter rewriter(anchor);
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(anchor->getContext(), tiles));
    options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
    using Answer = std::optional<scf::SCFTileAndFuseOptions::ControlFnResult>;
    options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer, bool) -> Answer {
      if (!contains(producer.getOwner()))
        return std::nullopt;
      return Answer(std::in_place);
    });
    auto tiled =
        scf::tileConsumerAndFuseProducersUsingSCF(rewriter, cast<TilingInterface>(anchor), options);
    if (failed(tiled))
      return failure(); // reported where the tile could not be made
    for (auto [old, replacement] : tiled->replacements)
      rewriter.replaceAllUsesWith(old, replacement);
    return success();
  }

private:
  /// Adds one producer all of whose users are members and agree on the tile that they need; false
  /// if there is none.
  bool addProducer() {
    for (const auto &[user, loops] : members)
      for (OpOperand &operand : user->getOpOperands()) {
        Operation *producer = operand.get().getDefiningOp();
        if (!producer || apart.contains(producer) || producer->getBlock() != anchor->getBlock() ||
            contains(producer) || !canBeCut(producer))
          continue;
        if (auto cut = loopsCutBy(producer)) {
          members[producer] = *cut;
          return true;
        }
      }
    return false;
  }

  std::optional<SmallVector<unsigned>> loopsCutBy(Operation *producer) const {
    std::optional<SmallVector<unsigned>> result;
    for (OpOperand &use : producer->getUses()) {
      auto member = members.find(use.getOwner());
      if (member == members.end())
        return std::nullopt;
      auto loops = translate(use, member->second, producer);
      if (!loops || (result && result != loops))
        return std::nullopt;
      result = loops;
    }
    return result;
  }

  /// The producer's loops for the user's, by way of the tensor between them.
  static std::optional<SmallVector<unsigned>> translate(OpOperand &use, ArrayRef<unsigned> loops,
                                                        Operation *producer) {
    AffineMap read = operandMapOf(use.getOwner(), use.getOperandNumber());
    AffineMap written = operandMapOf(producer, producer->getNumOperands() - 1);
    if (!read || !written)
      return std::nullopt;
    SmallVector<unsigned> result;
    for (unsigned loop : loops) {
      auto position = read.getResultPosition(getAffineDimExpr(loop, read.getContext()));
      if (!position)
        return std::nullopt; // several tasks need the same elements
      result.push_back(written.getDimPosition(*position));
    }
    return result;
  }

  Operation *anchor;
  llvm::SmallPtrSet<Operation *, 4> apart;
  SmallVector<int64_t> tiles;
  llvm::MapVector<Operation *, SmallVector<unsigned>> members;
};

struct TileAndFusePass : impl::TileAndFusePassBase<TileAndFusePass> {
  using TileAndFusePassBase::TileAndFusePassBase;

  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<Operation *> anchors;
    for (Operation &op : llvm::reverse(getOperation().getBody().front()))
      if (canBeCut(&op))
        anchors.push_back(&op);
    for (Operation *anchor : anchors)
      if (!anchor->use_empty() && failed(cut(anchor, target)))
        return signalPassFailure();
    useOwnBuffers();
  }

private:
  /// A slice of a new tensor is a new tensor of that size: a task needs room for its tile only.
  void useOwnBuffers() {
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  LogicalResult cut(Operation *anchor, TargetAttr target) {
    SmallVector<int64_t> tiles = ownTiles(anchor, target);
    // What is too little alone may be worth it with its producers.
    if (isWhole(tiles)) {
      tiles = taskTiles(anchor, std::numeric_limits<int64_t>::max(), target);
      tiles = taskTiles(anchor, TaskGroup(anchor, tiles).work() / taskWork, target);
    }
    if (isWhole(tiles))
      return success();
    SmallVector<tpp::ContractionOpInterface> inside = TaskGroup(anchor, tiles).contractions();
    if (!inside.empty() && inside.front() != anchor)
      if (auto suited = tilesFor(anchor, inside.front(), ownTiles(inside.front(), target)))
        tiles = *suited;
    // Contractions that this does not suit get tasks of their own.
    SmallVector<Operation *> apart;
    while (true) {
      TaskGroup group(anchor, tiles, apart);
      inside = group.contractions();
      auto misfit = llvm::find_if(inside, [&](tpp::ContractionOpInterface op) {
        return op != anchor && isTooSmall(group.tilesOf(op), ownTiles(op, target), op);
      });
      if (misfit == inside.end())
        return group.tile();
      apart.push_back(*misfit);
    }
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
      TaskGroup group(anchor, one);
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
