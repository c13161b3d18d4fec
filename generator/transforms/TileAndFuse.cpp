// Grids of tasks on tensors: an operation with everything that can be computed beside it.
#include "dialect/kgen/Decisions.h"
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
  TaskGroup(Operation *anchor, ArrayRef<int64_t> tiles) : anchor(anchor), tiles(tiles) {
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
        if (!producer || producer->getBlock() != anchor->getBlock() || contains(producer) ||
            !canBeCut(producer) || readsState(producer))
          continue;
        if (auto cut = loopsCutBy(producer)) {
          members[producer] = *cut;
          return true;
        }
      }
    return false;
  }

  /// Whether the producer reads the state of a loop that the anchor writes over: it has to be done
  /// before the first task begins.
  bool readsState(Operation *producer) const {
    Value init = anchor->getOperands().back();
    return isa<BlockArgument>(init) && llvm::is_contained(producer->getOperands(), init);
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
    collect(getOperation().getBody().front(), anchors);
    for (Operation *anchor : anchors)
      if (!anchor->use_empty() && failed(cut(anchor, target)))
        return signalPassFailure();
    useOwnBuffers();
  }

private:
  /// Everything that can be cut in the block and in the sequential loops in it, from its end on.
  void collect(Block &block, SmallVectorImpl<Operation *> &anchors) {
    for (Operation &op : llvm::reverse(block)) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        collect(*loop.getBody(), anchors);
      else if (canBeCut(&op))
        anchors.push_back(&op);
    }
  }

  /// A slice of a new tensor is a new tensor of that size: a task needs room for its tile only.
  void useOwnBuffers() {
    RewritePatternSet patterns(&getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  LogicalResult cut(Operation *anchor, TargetAttr target) {
    auto isWhole = [](ArrayRef<int64_t> tiles) {
      return llvm::all_of(tiles, [](int64_t t) { return t == 0; });
    };
    // What is too little alone may be worth it with its producers.
    SmallVector<int64_t> tiles = taskTiles(anchor, workOf(anchor) / taskWork, target);
    if (isWhole(tiles)) {
      tiles = taskTiles(anchor, std::numeric_limits<int64_t>::max(), target);
      tiles = taskTiles(anchor, TaskGroup(anchor, tiles).work() / taskWork, target);
    }
    if (isWhole(tiles))
      return success();
    return TaskGroup(anchor, tiles).tile();
  }
};

} // namespace
} // namespace kgen
