// Chooses the operations that get tasks, their tiles, and the producers that stay out of them.
#include "analysis/SizeBounds.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/LoweringConfig.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/NodeTiles.h"
#include "transforms/tiling/SelectTiling.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <llvm/Support/MathExtras.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

int64_t elementsReduced(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  int64_t count = 1;
  std::optional<SmallVector<int64_t>> sizes = greatestLoopSizesOf(op);
  for (unsigned loop : loops)
    count *= sizes ? (*sizes)[loop] : 1;
  return count;
}

/// Returns the reductions of large slices whose results `op` reduces. They get tasks of their
/// own: tiled by the few results of `op`, their tasks would read narrow slices.
SmallVector<Operation *> partialResults(Operation *op) {
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

/// Returns tile sizes for the loops of `root` that tile `producer` by `wanted`, if there are any.
std::optional<SmallVector<int64_t>>
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
bool hasTooSmallTiles(ArrayRef<int64_t> tiles, ArrayRef<int64_t> wanted,
                      tpp::ContractionOpInterface contraction) {
  SmallVector<int64_t> sizes = loopSizes(contraction);
  for (size_t loop = contraction.getBatchRank(); loop < tiles.size(); ++loop)
    if (tiles[loop] != 0 && tiles[loop] < (wanted[loop] ? wanted[loop] : sizes[loop]))
      return !isUntiled(wanted);
  return false;
}

int64_t countTasks(Operation *op, ArrayRef<int64_t> tiles) {
  int64_t tasks = 1;
  for (auto [size, tile] : llvm::zip(loopSizes(op), tiles))
    tasks *= tile ? llvm::divideCeil(size, tile) : 1;
  return tasks;
}

void collectRoots(Block &block, SmallVectorImpl<Operation *> &roots) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      collectRoots(*loop.getBody(), roots);
    else if (isTileable(&op))
      roots.push_back(&op);
  }
}

/// Decides from the end of a function to its begin.
class TaskTileSelector {
public:
  TaskTileSelector(int64_t taskWork, TargetAttr target, DecisionLog &log)
      : taskWork(taskWork), target(target), log(log) {}

  SelectionCounts select(ArrayRef<Operation *> roots) {
    int64_t work = 0, most = 0;
    for (Operation *root : roots) {
      if (llvm::AddOverflow(work, workOf(root), work))
        work = std::numeric_limits<int64_t>::max();
      most = std::max(most, workOf(root));
      const bool isLess = work / FusionGroup::maxMembers < most; // than that of so many members
      mostWorkOfGroup[root] = isLess ? work : most * FusionGroup::maxMembers;
      if (taskTilesOf(root))
        given.push_back(root);
    }
    for (Operation *root : llvm::reverse(roots))
      if (!root->use_empty() && !joined.contains(root))
        select(root);
    return counts;
  }

private:
  void select(Operation *root) {
    SmallVector<Operation *> excluded(given);
    if (DenseI64ArrayAttr tiles = taskTilesOf(root)) {
      ++counts.given;
      if (!isUntiled(tiles))
        join(FusionGroup(root, tiles, excluded));
      return;
    }
    excluded.append(partialResults(root));
    SmallVector<int64_t> tiles = tilesWithProducers(root, excluded);
    if (isUntiled(tiles)) {
      if (workOf(root) >= taskWork)
        refuse(root->getLoc(),
               workOf(root) < 2 * taskWork ? "less work than two tasks" : "no loop can be tiled");
      else
        traceRefusal(root->getLoc(), "less work than a task");
      // It must not join the tasks that it was excluded from.
      if (separate.contains(root))
        write(root, tiles);
      return;
    }
    if (FusionGroup group(root, tiles, excluded); group.tilesRows(target.cpu().pageBytes))
      for (Operation *member : group.operations())
        excluded.append(partialResults(member));
    SmallVector<tpp::ContractionOpInterface> inside =
        FusionGroup(root, tiles, excluded).contractions();
    if (!inside.empty() && inside.front() != root)
      if (auto matching = tilesMatching(root, inside.front(), tilesAlone(inside.front())))
        tiles = *matching;
    excludeTooSmall(root, tiles, excluded);
    write(root, tiles);
    if (log.isOn() || isDebugged())
      recordRejected(root, tiles, excluded);
    separate.insert(excluded.begin(), excluded.end());
    join(FusionGroup(root, tiles, excluded));
  }

  /// True if there are fewer tasks than the cores that the target states, and more where the
  /// contraction has its own.
  bool leavesCoresIdle(Operation *root, ArrayRef<int64_t> tiles, Operation *contraction) const {
    int64_t tasks = countTasks(root, tiles);
    return tasks < target.cpu().cores && tasks < countTasks(contraction, tilesAlone(contraction));
  }

  /// Contractions that would get too small tiles, or too few tasks, are excluded: they get tasks of
  /// their own.
  void excludeTooSmall(Operation *root, ArrayRef<int64_t> tiles,
                       SmallVectorImpl<Operation *> &excluded) {
    while (true) {
      FusionGroup group(root, tiles, excluded);
      SmallVector<tpp::ContractionOpInterface> inside = group.contractions();
      auto hasSmall = [&](tpp::ContractionOpInterface op) {
        return hasTooSmallTiles(group.tilesOf(op), tilesAlone(op), op);
      };
      auto tooSmall = llvm::find_if(inside, [&](tpp::ContractionOpInterface op) {
        return op != root && (hasSmall(op) || leavesCoresIdle(root, tiles, op));
      });
      if (tooSmall == inside.end())
        return;
      refuse((*tooSmall)->getLoc(),
             hasSmall(*tooSmall) ? "its tiles would be too small in the tasks of its consumer"
                                 : "its consumer has fewer tasks than there are cores");
      excluded.push_back(*tooSmall);
    }
  }

  SmallVector<int64_t> tilesAlone(Operation *op) const {
    return taskTiles(op, workOf(op) / taskWork, target);
  }

  /// An operation too small for tasks may be large enough together with its producers.
  SmallVector<int64_t> tilesWithProducers(Operation *root, ArrayRef<Operation *> excluded) const {
    SmallVector<int64_t> tiles = tilesAlone(root);
    // Its producers stand before it: most operations of small graphs need no group to know.
    if (!isUntiled(tiles) || mostWorkOfGroup.lookup(root) / taskWork == workOf(root) / taskWork)
      return tiles;
    tiles = taskTiles(root, std::numeric_limits<int64_t>::max(), target);
    return taskTiles(root, FusionGroup(root, tiles, excluded).work() / taskWork, target);
  }

  /// Records the rejected tiles; nothing if those of another operation decided about them.
  void recordRejected(Operation *root, ArrayRef<int64_t> tiles,
                      ArrayRef<Operation *> excluded) const {
    SmallVector<RejectedTiles> rejected;
    int64_t work = workOf(root);
    if (isUntiled(tilesAlone(root)))
      work = FusionGroup(root, tiles, excluded).work();
    if (taskTiles(root, work / taskWork, target, &rejected) == tiles)
      for (const RejectedTiles &other : rejected)
        recordRejectedTiles(root, taskTileKind, other.tiles, other.why, log);
  }

  void write(Operation *root, ArrayRef<int64_t> tiles) {
    ++counts.selected;
    setLoweringConfig(root, loweringConfigOrEmpty(root).withDistribution(tiles));
  }

  void join(const FusionGroup &group) {
    SmallVector<Operation *> members = group.operations();
    joined.insert(members.begin(), members.end());
  }

  void refuse(Location nodes, StringRef why) {
    ++counts.refused;
    log.add("refused", nodes, log.details().set("why", why));
  }

  int64_t taskWork;
  TargetAttr target;
  DecisionLog &log;
  SelectionCounts counts;
  llvm::DenseMap<Operation *, int64_t> mostWorkOfGroup; ///< of a root and those before it
  SmallVector<Operation *> given;                       ///< that have tiles already
  llvm::SmallPtrSet<Operation *, 16> joined;            ///< the tasks of an operation after them
  llvm::SmallPtrSet<Operation *, 16> separate;          ///< that were excluded from such tasks
};

} // namespace

SmallVector<Operation *> possibleRoots(func::FuncOp function) {
  SmallVector<Operation *> roots;
  collectRoots(function.getBody().front(), roots);
  return roots;
}

SelectionCounts selectTaskTiles(func::FuncOp function, int64_t taskWork, TargetAttr target,
                                DecisionLog &log) {
  return TaskTileSelector(taskWork, target, log).select(possibleRoots(function));
}

} // namespace kgen
