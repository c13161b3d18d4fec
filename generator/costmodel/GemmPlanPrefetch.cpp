// Prefetches of the kernels of a macro-kernel.
#include "costmodel/Caches.h"
#include "costmodel/GemmPlanner.h"
#include "costmodel/Rounding.h"

namespace kgen {

/// True if B is worth prefetching: more than a quarter of the second-level cache, beside which
/// there is no room for A and C; a smaller one stays there.
bool GemmPlanner::isBFromMemory() const {
  return !fits(cpu, gemm.bytesOfMatrixB, Cache::l2, Share::quarter);
}

/// All tiles of a run of columns together prefetch the next panel, each a share in proportion to
/// its rows: little at a time, so that it arrives while the arithmetic units are busy.
GemmPrefetchPlan GemmPlanner::prefetch(const MBlocks &rows, const NBlocks &columns,
                                       const KBlocks &depth, int64_t maxTile) const {
  if (rows.all() <= maxTile)
    if (int64_t streams = streamsOfB(rows.rows, depth.depth))
      return {GemmPrefetch::ownPanel, streams};
  for (auto choice :
       {&GemmPlanner::nextPanel, &GemmPlanner::nextColumnsOfB, &GemmPlanner::nextRowsOfA}) {
    GemmPrefetchPlan found = (this->*choice)(rows, columns, depth);
    if (found.elementsPerRow > 0)
      return found;
  }
  return {};
}

/// Few rows read their panel as fast as memory delivers it. They have one stream even if there is
/// one row only, whose sums would be others with two: the bits of a row do not depend on how many
/// rows there are. More rows, which compute meanwhile, prefetch at an even rate: their own panel if
/// it is read once, or their share of the next one.
RemainderPrefetchPlans GemmPlanner::remainderPrefetches(const MBlocks &rows, const NBlocks &columns,
                                                        const KBlocks &depth) const {
  constexpr int64_t several = 2;
  int64_t streams = streamsOfB(several, depth.depth);
  RemainderPrefetchPlans plans;
  if (streams > 0)
    plans.few = {GemmPrefetch::ownPanel, streams};
  plans.shared = nextPanel(rows, columns, depth);
  bool areShared = plans.shared.elements > 0;
  plans.maxFewRows = areShared ? cpu.heuristics.maxInFlightRows : rows.rows;
  plans.alone = plans.shared;
  if (streams > 0 && areShared) {
    plans.alone.target = GemmPrefetch::ownPanel;
    plans.alone.ahead = cpu.heuristics.panelPrefetchDistance / 2 / gemm.bBytes;
  }
  return plans;
}

/// The number of access streams of B's panel, 0 if the kernel should not prefetch it itself. For
/// packed B, k is split into so many ranges that are read side by side, where one tile has all
/// rows: each panel is then read once, as fast as memory delivers it. One row of A reads two
/// ranges, since the hardware prefetcher stops at the end of a page. Several rows read one: with
/// two, A would be read at twice as many addresses, which cause conflict misses if its rows are a
/// page apart. Contiguous columns of B are a stream each anyway; prefetching them pays for one row.
int64_t GemmPlanner::streamsOfB(int64_t rows, int64_t depth) const {
  if (result.usesDotProducts)
    return rows == 1 && !fits(cpu, gemm.bytesOfB, Cache::l2) ? 1 : 0;
  if (gemm.panel == 0 || gemm.isQuantized || result.blocking.usesTiles || gemm.convertsBytes ||
      gemm.r > 1 || !isBFromMemory())
    return 0;
  int64_t streams = gemm.strictOrder || rows > 1 ? 1 : 2;
  while (streams > 0 && depth / streams < cpu.heuristics.minStreamRows)
    streams /= 2;
  return streams;
}

/// The panel of B after this one, to the depth of a block of k. Each row of A prefetches its
/// share, for each product of r. None if B has no other panel, or is small.
GemmPrefetchPlan GemmPlanner::nextPanel(const MBlocks &rows, const NBlocks &columns,
                                        const KBlocks &depth) const {
  if (gemm.panel == 0 || !gemm.hasPanelsBeside || columns.width() < gemm.panel || !isBFromMemory())
    return {};
  int64_t elements = gemm.panelRows(depth.depth) * gemm.panelRowElements;
  if (!hasDynamicRows())
    return {GemmPrefetch::nextPanel, 0, divideCeil(elements, rows.all())};
  // Fewer rows take as long as memory delivers the panel.
  int64_t few = std::min(rows.all(), cpu.heuristics.maxMemoryBoundRows) * columns.tiles;
  return {GemmPrefetch::nextPanel, 0, divideCeil(elements, few), elements};
}

/// The rows of an unpacked B that are read next: the same columns of the next block of k, or, if
/// all columns of a block are more than a quarter of the second-level cache, the columns after the
/// next ones. None if the kernels do not multiply vectors of such rows, or if they take all columns
/// at once.
GemmPrefetchPlan GemmPlanner::nextColumnsOfB(const MBlocks &rows, const NBlocks &columns,
                                             const KBlocks &depth) const {
  bool isVectorRows = gemm.panel == 0 && !result.usesDotProducts && gemm.hasOneType &&
                      !gemm.f16Accumulate && gemm.hasFloats && gemm.r == 1 &&
                      columns.width() < gemm.n;
  if (!isVectorRows || !isBFromMemory())
    return {};
  bool fitsBlock = fits(cpu, depth.depth * gemm.n * gemm.bBytes, Cache::l2, Share::quarter);
  return {fitsBlock ? GemmPrefetch::nextKBlock : GemmPrefetch::nextColumns, 0,
          divideCeil(depth.depth, rows.all()) * gemm.b.k};
}

/// The block of rows of A after this one. Each panel of B prefetches a part of it, in equal shares
/// for each row. None unless A is larger than the second-level cache, its blocks are contiguous,
/// and two of them are at most half of the second-level cache.
GemmPrefetchPlan GemmPlanner::nextRowsOfA(const MBlocks &rows, const NBlocks &columns,
                                          const KBlocks &depth) const {
  int64_t row = gemm.a.m, line = cpu.lineBytes / gemm.aBytes,
          block = rows.all() * row * gemm.aBytes;
  bool isDense = gemm.r == 1 && depth.isFirst && depth.isLast && gemm.a.k == 1 && row >= gemm.k &&
                 row <= gemm.k + line && (!result.hasOuterRows || gemm.a.outer == gemm.m * row);
  if (!isPlain() || !isDense || fits(cpu, gemm.bytesOfA, Cache::l2) ||
      !fits(cpu, 2 * block, Cache::l2, Share::half))
    return {};
  return {GemmPrefetch::nextRowsOfA, 0, divideCeil(row, divideCeil(gemm.n, columns.width()))};
}

} // namespace kgen
