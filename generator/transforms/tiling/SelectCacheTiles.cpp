// Chooses the chains that get cache tiles, and their sizes.
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/LoweringConfig.h"
#include "transforms/tiling/ChainTiler.h"
#include "transforms/tiling/NodeTiles.h"
#include "transforms/tiling/RowChain.h"
#include "transforms/tiling/SelectTiling.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {
namespace {

/// Decides from the end of a block to its begin.
class CacheTileSelector {
public:
  CacheTileSelector(TargetAttr target, DecisionLog &log) : target(target), log(log) {}

  void select(ArrayRef<Operation *> block) {
    if (block.empty())
      return;
    outside.clear();
    for (Operation &op : *block.front()->getBlock())
      if (isa<tpp::TileOpInterface>(op) || cacheTilesOf(&op))
        outside.push_back(&op);
    for (Operation *root : llvm::reverse(block))
      if (!root->use_empty() && !joined.contains(root))
        select(cast<linalg::LinalgOp>(root));
  }

  SelectionCounts result() const { return counts; }

private:
  void select(linalg::LinalgOp root) {
    if (DenseI64ArrayAttr tiles = cacheTilesOf(root)) {
      ++counts.given;
      if (isUntiled(tiles))
        writeStores(root, storesOf(root, target));
      else
        join(root, CacheTileSizes::groupOf(root, tiles, outside));
      return;
    }
    ChainTiler tiler(root, outside, target);
    tiler.choose();
    if (!tiler.isTiled()) {
      writeStores(root, storesOf(root, target));
      if (!tiler.refusal().empty()) {
        ++counts.refused;
        log.add("refused", root.getLoc(), log.details().set("why", tiler.refusal()));
      }
      return;
    }
    ++counts.selected;
    LoweringConfigAttr config = loweringConfigOrEmpty(root).withCache(tiler.tileSizes());
    if (!config.getUnroll() && tiler.isInRegisters())
      config = config.withUnroll(0);
    if (!config.getStrategy() && tiler.strategy())
      config = config.withStrategy(tiler.strategy()->name);
    setLoweringConfig(root, config);
    if ((log.isOn() || isDebugged()) && !tiler.rejectedTiles().empty())
      recordRejectedTiles(root, cacheTileKind, tiler.rejectedTiles(), tiler.whyRejected(), log);
    join(root, tiler.group());
  }

  void join(linalg::LinalgOp root, const FusionGroup &group) {
    for (Operation *member : group.operations()) {
      if (auto op = dyn_cast<linalg::LinalgOp>(member))
        writeStores(op, storesOfMember(group, root, op, target));
      joined.insert(member);
      outside.push_back(member);
    }
  }

  TargetAttr target;
  DecisionLog &log;
  SelectionCounts counts;
  /// Operations of the block that join no chain before them: they are no part of one, have tiles
  /// already, or are part of one.
  SmallVector<Operation *> outside;
  llvm::SmallPtrSet<Operation *, 16> joined; ///< a chain that ends after them
};

} // namespace

SmallVector<SmallVector<Operation *>> possibleChains(func::FuncOp function) {
  SmallVector<SmallVector<Operation *>> blocks;
  auto add = [&](Block &block) {
    SmallVector<Operation *> &ops = blocks.emplace_back();
    for (Operation &op : block)
      if (isa<linalg::LinalgOp>(op) && !isa<tpp::TileOpInterface>(op) && isTileable(&op))
        ops.push_back(&op);
  };
  add(function.getBody().front());
  function.walk([&](scf::ForallOp tasks) { add(*tasks.getBody()); });
  return blocks;
}

SelectionCounts selectCacheTiles(func::FuncOp function, TargetAttr target, DecisionLog &log) {
  CacheTileSelector selector(target, log);
  for (ArrayRef<Operation *> block : possibleChains(function))
    selector.select(block);
  return selector.result();
}

} // namespace kgen
