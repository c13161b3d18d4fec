#include "transforms/tiling/TaskTileSizes.h"

#include "analysis/AccessPattern.h"
#include "analysis/SizeBounds.h"
#include "costmodel/Caches.h"
#include "costmodel/TaskTiles.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/tiling/DepthwiseLayoutTiles.h"
#include "transforms/tiling/LoopTiler.h"
#include "transforms/tiling/TileableOps.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
namespace {

/// Returns the smallest number of columns for a task of a contraction. A large B that is read in
/// place is read in runs as long as the hardware prefetcher follows: a page, or half of a row. If
/// at most `maxGemvRows` rows meet it, at least eight cache lines. 1 if B is small or packed, or if
/// there are many rows and rows of B are at most a page.
int64_t minColumns(tpp::ContractionOpInterface op, int64_t rows, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  const Heuristics &limits = cpu.heuristics;
  unsigned n = op.getCType().getRank() - 1;
  int64_t columns = op.getN(),
          pageColumns = cpu.pageBytes * 8 / op.getBType().getIntOrFloatBitWidth();
  bool isLarge = !fits(cpu, greatestBytesOf(op.getB()), Cache::l2, Share::quarter),
       isInPlace = !op.getPanel() && op.getBMap().getNumResults() > 0 &&
                   op.getBMap().getResults().back() == getAffineDimExpr(n, op.getContext());
  if (!isInPlace || !isLarge ||
      (greatestRowsOf(op) > limits.maxMemoryBoundRows && columns <= pageColumns))
    return 1;
  int64_t lines = rows <= limits.maxGemvRows
                      ? pageColumns * limits.minGemvLines * cpu.lineBytes / cpu.pageBytes
                      : 1;
  return std::max(std::min(pageColumns, columns / 2), lines);
}

/// Tiles the rows of a contraction, batch dimensions that share B included, like those of images.
class RowTiler {
public:
  RowTiler(LoopTiler &tiler, tpp::ContractionOpInterface op, int64_t grain)
      : tiler(tiler), sizes(loopSizes(op)), m(op.getBatchRank()), grain(grain) {
    for (int64_t d = 0; d <= m; ++d)
      if (d == m || !op.getBMap().isFunctionOfDim(d)) {
        loops.push_back(d);
        count *= sizes[d];
      }
  }

  int64_t rows() const { return count; }

  void tile(int64_t minRows) {
    int64_t inner = count;
    for (int64_t d : loops) {
      if (inner == 0)
        return;
      inner /= std::max<int64_t>(sizes[d], 1);
      int64_t minTile =
          llvm::divideCeil(std::max<int64_t>(minRows, 1), std::max<int64_t>(inner, 1));
      tiler.tile(d, 1, minTile, d == m ? grain : 1);
    }
  }

private:
  LoopTiler &tiler;
  SmallVector<int64_t> sizes, loops;
  int64_t m, grain, count = 1;
};

/// Tiles batch dimensions with a B of their own, then blocks of rows, then panels of columns, then
/// rows in smaller blocks.
void tileContraction(LoopTiler &tiler, tpp::ContractionOpInterface op, TargetAttr target) {
  GemmBlocking blocking = tpp::blockingOf(op, target, greatestRowsOf(op));
  int64_t m = op.getBatchRank(), n = m + 1;
  for (int64_t d = 0; d < m; ++d)
    if (op.getBMap().isFunctionOfDim(d))
      tiler.tile(d, 1, 1);
  RowTiler rowTiler(tiler, op, blocking.rowGrain);
  const Cpu &cpu = target.cpu();
  int64_t panel = op.getPanel().value_or(blocking.panel);
  // Several panels, where there are enough of them: a block of A that comes into the cache is used
  // for all columns of a task.
  auto tileColumns = [&] {
    int64_t panels = cpu.heuristics.panelsPerTask;
    while (panels > 1 && !tiler.givesEnoughTasks(n, panels * panel))
      --panels;
    if (panel == blocking.panel)
      tiler.tile(n, panel, std::max(panels * panel, minColumns(op, rowTiler.rows(), target)));
  };
  // Every task may read all of A if A is one block of rows or leaves most of the L2 to others. Then
  // each slice of a B that does not stay in the L2 is read by one task.
  int64_t bytesOfA = greatestBytesOf(op.getA());
  bool isBlock = rowTiler.rows() <= blocking.mc && fits(cpu, bytesOfA, Cache::l2);
  if ((isBlock || fits(cpu, bytesOfA, Cache::l2, Share::quarter)) &&
      !fits(cpu, greatestBytesOf(op.getB()), Cache::l2, Share::quarter) &&
      tiler.givesEnoughTasks(n, panel))
    tileColumns();
  rowTiler.tile(blocking.mc / 2);
  tileColumns();
  rowTiler.tile(2 * blocking.mr);
}

/// True if an operand of the full shape is contiguous along `loop` but the result is not: both are
/// read and written in transpose blocks.
bool isTransposed(linalg::LinalgOp op, unsigned loop) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned innermost = result.getDimPosition(result.getNumResults() - 1);
  return op.getNumReductionLoops() == 0 &&
         llvm::any_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return AccessPattern(map).transposedLoop(innermost) == loop;
         });
}

/// True if `op` or a producer of its operands, which is fused into its tiles, reads through
/// windows.
bool hasWindows(linalg::LinalgOp op) {
  return readsThroughWindows(op) || llvm::any_of(op->getOperands(), [](Value operand) {
           auto producer = operand.getDefiningOp<linalg::LinalgOp>();
           return producer && readsThroughWindows(producer);
         });
}

/// True if all iterations of `loop` read the same result of a reduction: if `loop` is tiled, the
/// reduction cannot be fused.
bool sharesReduction(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    auto producer = input->get().getDefiningOp<linalg::LinalgOp>();
    return producer && producer.getNumReductionLoops() > 0 &&
           !op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
  });
}

/// Returns the number of rows that are worked on together: 16 if `op`, or a producer of its
/// operands, reduces many short rows (see kgen-cache-tiling), otherwise 1. A tile of a prime number
/// of rows would reduce them one by one.
int64_t rowsTogether(linalg::LinalgOp op) {
  const Heuristics &limits = cpuOf(op).heuristics;
  int64_t together = limits.rowsReducedTogether, maxRow = limits.minRowElements,
          minRows = limits.minTransposedRows;
  auto reducesRows = [&](linalg::LinalgOp member) {
    if (member.getNumReductionLoops() != 1 ||
        member.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
        loopSizes(member).back() > maxRow)
      return false;
    auto rows = cast<RankedTensorType>(member->getResult(0).getType()).getShape();
    return !rows.empty() && rows.back() >= minRows;
  };
  auto readsRows = [&](Value operand) {
    auto producer = operand.getDefiningOp<linalg::LinalgOp>();
    return producer && producer->getNumResults() == 1 && reducesRows(producer);
  };
  return reducesRows(op) || llvm::any_of(op->getOperands(), readsRows) ? together : 1;
}

/// Tiles the only dimension of a result. If it is what a reduction across rows leaves, a tile is 32
/// pages, so that each row is read in long runs, or less if there would be fewer than four tasks.
void tileSingleRow(LoopTiler &tiler, linalg::LinalgOp op, unsigned loop, int64_t rows) {
  const Cpu &cpu = cpuOf(op);
  const int64_t unit = cpu.lineBytes, // elements of a byte or more: at least one cache line
      maxRunBytes = cpu.heuristics.maxRunPages * cpu.pageBytes, minTasks = cpu.heuristics.minTasks;
  if (op.getNumReductionLoops() == 0)
    return tiler.tile(loop, unit, unit);
  if (op.getIteratorTypesArray().back() == utils::IteratorType::reduction)
    return tiler.tile(loop, rows, rows);
  int64_t run = maxRunBytes / bytesOfElement(op->getResult(0).getType()), all = loopSizes(op)[loop];
  while (run > unit && all / run < minTasks)
    run /= 2;
  tiler.tile(loop, run > unit ? unit : rows, run);
}

/// Tiles the columns of a result whose rows share reductions, so that the reductions stay in the
/// tasks: short slices of rows if half of the L2 holds them, or else pages.
void tileSharedColumns(LoopTiler &tiler, linalg::LinalgOp op, ArrayRef<unsigned> sharing,
                       unsigned columns, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  const int64_t minColumns = cpu.heuristics.minRowElements;
  SmallVector<int64_t> sizes = loopSizes(op);
  int64_t width = bytesOfElement(op->getResult(0).getType()), bytes = minColumns * width,
          pageColumns = cpu.pageBytes / width;
  for (unsigned loop : sharing)
    bytes *= sizes[loop];
  if (tiler.tasks() == 1 && fits(cpu, 2 * bytes, Cache::l2))
    tiler.tile(columns, minColumns, minColumns);
  else if (!fits(cpu, 2 * bytes, Cache::l2) && tiler.givesEnoughTasks(columns, pageColumns))
    tiler.tile(columns, pageColumns, pageColumns);
}

/// Tiles the outer dimensions of the result from the outermost one on; the innermost one only if it
/// is the only one, if rows share reductions, or if the result is transposed.
void tileLoops(LoopTiler &tiler, linalg::LinalgOp op, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  // Transposed results, in elements: blocks of a line by a line of f32, tiles of eight of them.
  const int64_t minRun = cpu.heuristics.minRowElements, blockRows = cpu.lineBytes / 4,
                blockColumns = cpu.lineBytes, minBlockRows = 8 * blockRows,
                minBlockColumns = 8 * blockColumns;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned rank = map.getNumResults();
  // Windows keep whole rows of pixels: they have to know where a row begins and ends.
  bool keepsRows = rank > 2 && hasWindows(op);
  SmallVector<int64_t> sizes = loopSizes(op);
  SmallVector<unsigned> transposed, sharing;
  int64_t inner = map.getNumDims() == 0 ? 0 : sizes.back(), rows = rowsTogether(op);
  for (unsigned position = 0; position + (keepsRows ? 2 : 1) < rank; ++position) {
    unsigned loop = map.getDimPosition(position);
    // The loop of an inner dimension that is an outer one of the result, like that of panels.
    int64_t minTile = loop > position ? llvm::divideCeil(minRun, std::max<int64_t>(inner, 1)) : 1;
    if (isTransposed(op, loop))
      transposed.push_back(loop);
    else if (sharesReduction(op, loop))
      sharing.push_back(loop);
    else
      tiler.tile(loop, position + 2 == rank ? rows : 1, minTile);
  }
  if (!sharing.empty())
    tileSharedColumns(tiler, op, sharing, map.getDimPosition(rank - 1), target);
  // The last resort, as it leaves the reduction outside of the tasks: only where neither equal nor
  // unequal tiles of other loops make tasks.
  for (unsigned loop : sharing)
    if (tiler.tasks() == 1 && !tiler.isEven())
      tiler.tile(loop, 1, 1);
  for (unsigned loop : transposed)
    tiler.tile(loop, blockRows, minBlockRows);
  bool isOneRow = rank > 0 && llvm::all_of(map.getResults().drop_back(), [&](AffineExpr outer) {
                    return sizes[cast<AffineDimExpr>(outer).getPosition()] == 1;
                  });
  if (isOneRow && !keepsRows && transposed.empty() && sharing.empty())
    tileSingleRow(tiler, op, map.getDimPosition(rank - 1), rows);
  else if (!transposed.empty() && !keepsRows)
    tiler.tile(map.getDimPosition(rank - 1), blockColumns, minBlockColumns);
}

/// True if a large result is written in runs of contiguous memory so short that the hardware
/// prefetcher, which stops at the end of a page, misses most of them.
bool hasShortRuns(Operation *op, ArrayRef<int64_t> tiles, TargetAttr target) {
  const Cpu &cpu = target.cpu();
  const int64_t minRunBytes = cpu.heuristics.minRunPages * cpu.pageBytes;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || fits(cpu, greatestBytesOf(op->getResult(0)), Cache::l2))
    return false;
  AffineMap map = linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  SmallVector<int64_t> sizes = loopSizes(linalgOp);
  int64_t runBytes = bytesOfElement(op->getResult(0).getType());
  bool isTiled = false, hasGaps = false;
  for (unsigned position = map.getNumResults(); position-- > 0;) {
    unsigned loop = map.getDimPosition(position);
    int64_t size = tiles[loop] ? tiles[loop] : sizes[loop];
    if (isTiled)
      hasGaps |= size != 1;
    else
      runBytes *= size;
    isTiled |= tiles[loop] != 0;
  }
  return hasGaps && runBytes < minRunBytes;
}

} // namespace

/// Returns what the tiler that won weighed against its tiles, loop by loop.
static SmallVector<int64_t> resultOf(const LoopTiler &winner,
                                     SmallVectorImpl<RejectedTiles> *rejected) {
  SmallVector<int64_t> tiles = winner.result();
  if (rejected)
    for (const auto &[loop, candidate] : winner.rejected()) {
      RejectedTiles &other = rejected->emplace_back(RejectedTiles{tiles, candidate.why});
      other.tiles[loop] = candidate.size;
    }
  return tiles;
}

SmallVector<int64_t> taskTiles(Operation *op, int64_t tasks, TargetAttr target,
                               SmallVectorImpl<RejectedTiles> *rejected) {
  if (auto tiles = tasks > 1 ? depthwiseLayoutTiles(op, target) : std::nullopt)
    return *tiles;
  auto tile = [&](bool isEven) {
    LoopTiler tiler(op, std::min(maxTasksOf(target.cpu()), tasks), isEven, rejected != nullptr);
    if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(op))
      tileContraction(tiler, contraction, target);
    else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      tileLoops(tiler, linalgOp, target);
    return tiler;
  };
  // Equal tiles are one grid. Others have to make more tasks or longer runs of memory.
  LoopTiler even = tile(/*isEven=*/true);
  if (even.hasEnoughTasks() && !hasShortRuns(op, even.result(), target))
    return resultOf(even, rejected);
  LoopTiler uneven = tile(/*isEven=*/false);
  bool isBetter = even.hasEnoughTasks()
                      ? uneven.hasEnoughTasks() && !hasShortRuns(op, uneven.result(), target)
                      : uneven.tasks() > even.tasks();
  const LoopTiler &winner = isBetter ? uneven : even, &loser = isBetter ? even : uneven;
  if (rejected && loser.result() != winner.result())
    rejected->push_back({loser.result(), isBetter
                                             ? "equal tiles, but too few tasks or too short runs"
                                             : "not equal, and no more tasks or longer runs"});
  return resultOf(winner, rejected);
}

} // namespace kgen
