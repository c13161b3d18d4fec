#include "costmodel/Caches.h"
#include "costmodel/GemmPlanner.h"
#include "costmodel/Products.h"
#include "costmodel/Rounding.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <set>

namespace kgen {

std::vector<TileRun> balancedTiles(int64_t total, int64_t maxSize, int64_t grain) {
  assert(total > 0 && maxSize >= grain && grain > 0 && "there is a tile");
  int64_t units = divideCeil(total, grain), count = divideCeil(units, maxSize / grain),
          low = units / count, high = units % count, missing = units * grain - total;
  std::vector<TileRun> runs;
  if (high > 0)
    runs.push_back({0, (low + 1) * grain, high});
  int64_t start = (low + 1) * grain * high, size = low * grain, whole = count - high;
  if (missing > 0)
    --whole;
  if (whole > 0)
    runs.push_back({start, size, whole});
  if (missing > 0)
    runs.push_back({start + size * whole, size - missing, 1});
  return runs;
}

//===--- Block sizes ---===//

void GemmPlanner::setBlocking(bool mayUseTiles) {
  GemmBlocking &blocking = result.blocking;
  blocking = mayUseTiles ? gemm.blocking : gemm.vectorBlocking;
  // C keeps the sums between blocks. Kernels on tile registers have blocks of k and
  // sums of their own.
  int64_t all = std::max<int64_t>(gemm.r * gemm.k, 1);
  bool isWhole = blocking.usesTiles || !gemm.storesSums;
  if (isWhole)
    blocking.kc = all;
  else if (hasPageDistantRows())
    blocking.kc = std::min(blocking.kc, cpu.heuristics.tlbEntries);
  usualKc = isWhole ? all : gemm.usualKc;
}

/// True if B is not packed, and each of its rows is in another page than the one before.
bool GemmPlanner::hasPageDistantRows() const {
  return gemm.panel == 0 && !areDotProducts() && gemm.b.k * gemm.bBytes > cpu.pageBytes;
}

/// Vectors instead of tile registers where the order of the reduction is strict, A is not
/// contiguous along k, or the number of rows, which their kernels loop over, is known at run time.
void GemmPlanner::fallBackFromTiles() {
  bool isContiguous = gemm.a.k == 1 || gemm.k <= 1;
  if (result.blocking.usesTiles && (gemm.strictOrder || !isContiguous || hasDynamicRows()))
    setBlocking(/*mayUseTiles=*/false);
}

/// Dot products keep one vector of partial sums for each result, beside a vector of each column and
/// one of A: square tiles read the least.
void GemmPlanner::chooseDotProducts() {
  result.usesDotProducts = areDotProducts();
  if (!result.usesDotProducts)
    return;
  GemmBlocking &blocking = result.blocking;
  blocking.kc = usualKc = std::max<int64_t>(gemm.r * gemm.k, 1);
  if (result.blocking.isGiven) {
    blocking.nr = std::min(blocking.nr, gemm.n);
    blocking.accumulators = blocking.mr * blocking.nr;
    return;
  }
  // 4 x 3 sums hide the latency of a multiply-add (5 cycles at most, 2 a cycle) on all targets.
  const int64_t columns = cpu.heuristics.independentChains, sums = 3 * columns;
  blocking.nr = std::min(columns, gemm.n);
  int64_t maxSums = cpu.vectorRegisters - blocking.nr - 2;
  if (blocking.nr > 1)
    blocking.accumulators = std::clamp(maxSums, columns, sums);
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / blocking.nr);
}

/// Decides whether blocks take rows of several batch indices with the same B that are not
/// contiguous, as those of convolutions: all that fit a block, before the next columns of B.
void GemmPlanner::findOuterRows() {
  result.hasOuterRows = gemm.hasBatch && gemm.b.outer == 0 && gemm.outer > 1 && gemm.m > 0 &&
                        gemm.m <= result.blocking.mc && !hasDynamicRows() && !gemm.hasDynamicOuter;
}

void GemmPlanner::chooseUpconversion() {
  if (!gemm.narrowB || gemm.panel == 0 || gemm.isQuantized || result.usesDotProducts ||
      result.hasOuterRows || gemm.hasImplicitPads || gemm.r > 1 || gemm.k == 0 || hasDynamicRows())
    return;
  result.upconversion = upconversionBlocking(cpu, result.blocking, *gemm.narrowB, gemm.m, gemm.n,
                                             gemm.k, !gemm.storesSums);
  if (!result.upconversion)
    return;
  if (result.blocking.isGiven) {
    result.upconversion->nr = result.blocking.nr;
    result.upconversion->accumulators = result.blocking.accumulators;
  }
  result.blocking.mc = result.upconversion->mc;
  result.blocking.kc = result.upconversion->kc;
  result.needsPartialSums = !gemm.storesSums && result.upconversion->kc < gemm.k;
}

/// Decides whether blocks of A are packed for matrix products. In place, each register tile
/// interleaves two rows of A by an instruction that takes the place of a product. Packed, that
/// happens once, beside a load and a store.
void GemmPlanner::choosePackedA() {
  if (rowGrain() != 2 || gemm.panel == 0 || result.hasOuterRows || gemm.hasImplicitPads ||
      gemm.r > 1 || gemm.a.k != 1 || hasDynamicRows() || gemm.strictOrder ||
      gemm.m <= result.blocking.mr)
    return;
  int64_t tiles = 0;
  for (const NBlocks &columns : result.columns)
    tiles += columns.blocks.count * columns.tiles;
  double interleave = costOf(cpu, gemm.vnni == 8 ? "matrix_i8" : "matrix_bf16");
  if (static_cast<double>(tiles - 1) * interleave <= cpu.heuristics.shuffleCycles)
    return;
  int64_t most = maxUpconvertedBytes(cpu) + maxUpconvertedSumBytes(cpu);
  result.packsA = std::all_of(result.kBlocks.begin(), result.kBlocks.end(), [&](const KBlocks &k) {
    bool isWhole = k.depth > 0 && k.depth % (2 * gemm.vnni) == 0;
    return isWhole && packedBytesOfA(gemm, result.rowBlocks.front().rows, k.depth) <= most;
  });
}

//===--- Register tiles: limited by the registers, by the rows of the block, and by L1 ---===//

/// True if kernels multiply rows of floats of B by elements of A of the same type.
bool GemmPlanner::isPlain() const {
  return !result.usesDotProducts && gemm.n > 1 && gemm.hasOneType && !gemm.isQuantized &&
         gemm.hasFloats && gemm.vnni == 1 && cpu.hasFma;
}

/// Vectors of sums in each row of a register tile of `columns`. Where pairs of B are up-converted,
/// one vector counts as two, since LLVM takes a further register for each of them.
int64_t GemmPlanner::sumsPerRow(int64_t columns) const {
  int64_t vectors = result.usesDotProducts ? columns : divideCeil(columns, gemm.lanes);
  return gemm.convertsPairs ? std::max<int64_t>(vectors, 2) : vectors;
}

/// Rows that an instruction on vectors multiplies: tiles of multiples of them waste none.
int64_t GemmPlanner::rowGrain() const {
  return result.blocking.usesTiles || result.usesDotProducts ? 1 : result.blocking.rowGrain;
}

/// Rows of `vectors` sums each, as the target's block sizes say. Matrix products have a register
/// for each row of A beside the sums, and two for B; rows of A, of which there are interleaved
/// copies, take a quarter of the registers at most.
int64_t GemmPlanner::usualRows(int64_t vectors) const {
  int64_t grain = rowGrain(), rows = result.blocking.accumulators / vectors;
  if (grain > 1 && !result.blocking.isGiven)
    rows = std::min({rows, (cpu.vectorRegisters - 2) / (vectors + 1),
                     std::max(grain, cpu.vectorRegisters / 4)});
  return std::max<int64_t>(1, rows / grain) * grain;
}

/// Rows of `vectors` sums each that the registers hold beside a row of B and an element of A.
int64_t GemmPlanner::maxRows(int64_t vectors) const {
  int64_t usual = usualRows(vectors);
  return isPlain() ? std::max(usual, (cpu.vectorRegisters - vectors - 2) / vectors) : usual;
}

/// Rows of a register tile with `vectors` in each, of `rows` in all: as the target's block sizes
/// say, or as many as there are registers for if that makes fewer tiles, and
///   either the usual tiles would be less than 5/6 full,
///   or there is implicit padding, whose kernels differ by row.
/// Given register tiles are the usual ones.
int64_t GemmPlanner::rowsOfTile(int64_t rows, int64_t vectors) const {
  int64_t usual = usualRows(vectors);
  if (hasDynamicRows())
    return std::min({usual, rows, rowsInCache()});
  if (result.blocking.isGiven)
    return usual;
  int64_t maxRowsOfTile = maxRows(vectors), tiles = divideCeil(rows, usual);
  bool isProfitable = 6 * rows < 5 * usual * tiles || gemm.hasImplicitPads;
  int64_t chosen = isProfitable && divideCeil(rows, maxRowsOfTile) < tiles ? maxRowsOfTile : usual;
  bool readsBOnce = gemm.panel == 0 && rows <= chosen; // from memory
  return readsBOnce ? chosen : std::max(rowGrain(), std::min(chosen, rowsInCache()));
}

/// Rows of A of which the first-level cache holds a line each, which several values of k read.
/// Lines that are pages apart share a set; one of its ways is for B.
int64_t GemmPlanner::rowsInCache() const {
  int64_t step = std::gcd(gemm.a.m * gemm.aBytes, cpu.pageBytes);
  if (result.usesDotProducts || step < cpu.lineBytes)
    return std::numeric_limits<int64_t>::max();
  return std::max<int64_t>(1, (waysOfL1(cpu) - 1) * (cpu.pageBytes / step));
}

/// Batch indices whose rows a register tile with `vectors` in each row takes: several if they have
/// few rows, which are contiguous in C.
int64_t GemmPlanner::outerRowsOfTile(int64_t vectors) const {
  auto follows = [&](const GemmStrides &operand) { return operand.outer == operand.m * gemm.m; };
  if (!result.hasOuterRows || !isPlain() || !follows(gemm.c) ||
      !std::all_of(gemm.epilogues.begin(), gemm.epilogues.end(), follows))
    return 1;
  return std::max<int64_t>(1, std::min(maxRows(vectors), rowsInCache()) / gemm.m);
}

//===--- Blocks ---===//

std::vector<MBlocks> GemmPlanner::rowBlocks() const {
  const GemmBlocking &blocking = result.blocking;
  std::vector<MBlocks> blocks;
  if (result.hasOuterRows) {
    // Windows overlap: what counts is how much of the image a block reads.
    int64_t maxCount =
        std::max(blocking.mc / gemm.m, blocking.mc * usualKc / std::max<int64_t>(gemm.a.outer, 1));
    int64_t count = divideCeil(gemm.outer, divideCeil(gemm.outer, maxCount)),
            whole = gemm.outer / count, remainder = gemm.outer - whole * count;
    blocks.push_back({{0, count, whole}, count, gemm.m});
    if (remainder > 0)
      blocks.push_back({{whole * count, remainder, 1}, remainder, gemm.m});
    return blocks;
  }
  int64_t count = divideCeil(gemm.m, blocking.mc),
          rows = std::min(gemm.m, roundUp(divideCeil(gemm.m, count), blocking.mr)),
          whole = gemm.m / rows, remainder = gemm.m - whole * rows;
  if (hasDynamicRows()) // the last block may have fewer rows
    return {{{0, rows, divideCeil(gemm.m, rows)}, 1, rows}};
  blocks.push_back({{0, rows, whole}, 1, rows});
  if (remainder > 0)
    blocks.push_back({{whole * rows, remainder, 1}, 1, remainder});
  return blocks;
}

/// Blocks of `size`: the first one, those between, and the last one, which may be smaller.
std::vector<KBlocks> GemmPlanner::kBlocks(int64_t total, int64_t size, bool areProducts) const {
  int64_t count = std::max<int64_t>(1, divideCeil(total, std::max<int64_t>(size, 1))),
          last = total - size * (count - 1);
  auto block = [&](TileRun run, bool isFirst, bool isLast) {
    return KBlocks{run, areProducts ? gemm.k : run.size, areProducts ? run.size : 1, isFirst,
                   isLast};
  };
  std::vector<KBlocks> blocks;
  if (count > 1)
    blocks.push_back(block({0, size, 1}, true, false));
  if (count > 2)
    blocks.push_back(block({size, size, count - 2}, false, false));
  blocks.push_back(block({size * (count - 1), last, 1}, count == 1, true));
  return blocks;
}

/// One kernel adds up several products as long as their rows of a panel of B are at most 1.5 blocks
/// of k.
std::vector<KBlocks> GemmPlanner::kBlocks() const {
  if (gemm.hasDynamicProducts)
    return kBlocks(gemm.r, 1, /*areProducts=*/true);
  if (gemm.r > 1) {
    int64_t blocks =
        std::max<int64_t>(1, gemm.r * std::max<int64_t>(gemm.k, 1) / (usualKc + usualKc / 2));
    return kBlocks(gemm.r, divideCeil(gemm.r, blocks), /*areProducts=*/true);
  }
  int64_t count =
      result.upconversion ? 1 : std::max<int64_t>(1, divideCeil(gemm.k, result.blocking.kc));
  return kBlocks(gemm.k, divideCeil(gemm.k, count), /*areProducts=*/false);
}

/// Panel by panel, as far as register tiles fill them; then the tiles and the columns that remain.
std::vector<NBlocks> GemmPlanner::columnBlocks() const {
  int64_t nr = std::min(result.blocking.nr, gemm.n), width = std::max(nr, gemm.panel / nr * nr),
          panels = gemm.n / width, tiles = gemm.n / nr - panels * (width / nr),
          remainder = gemm.n % nr;
  std::vector<NBlocks> blocks;
  if (panels > 0)
    blocks.push_back({{0, width, panels}, nr, width / nr});
  if (tiles > 0)
    blocks.push_back({{panels * width, tiles * nr, 1}, nr, tiles});
  if (remainder > 0)
    blocks.push_back({{gemm.n - remainder, remainder, 1}, remainder, 1});
  return blocks;
}

/// A tile for rows that remain. Few rows have sums for more columns in the registers.
RemainderTile GemmPlanner::remainderTile(int64_t rows, const NBlocks &columns) const {
  int64_t joined = isPlain() ? columns.tiles : 1;
  auto fits = [&] {
    return columns.tiles % joined == 0 &&
           rows * sumsPerRow(joined * columns.tileColumns) <= result.blocking.accumulators;
  };
  while (joined > 1 && !fits())
    --joined;
  return {rows, joined * columns.tileColumns, columns.tiles / joined};
}

/// Whole tiles, and those for what may remain of a number of rows that is known at run time. Blocks
/// begin at multiples of their rows, which are multiples of a tile's unless there is one block
/// only.
RowTiles GemmPlanner::dynamicTiles(int64_t rows, const NBlocks &columns, int64_t maxTile) const {
  RowTiles tiles{{0, 1, 1}, {{0, maxTile, rows / maxTile}}};
  int64_t all = gemm.rowDivisor; // divides the rows of each block
  if (result.rowBlocks.front().blocks.count > 1)
    all = std::gcd(all, rows);
  int64_t step = std::gcd(all, maxTile);
  std::set<int64_t> sizes;
  for (int64_t remainder = all; remainder < std::min(maxTile, rows + 1); remainder += all)
    sizes.insert(remainder);
  for (int64_t remainder = step; remainder < maxTile && maxTile + remainder <= rows;
       remainder += step)
    for (const TileRun &run : balancedTiles(maxTile + remainder, maxTile))
      if (run.size < maxTile)
        sizes.insert(run.size);
  for (int64_t size : sizes)
    tiles.remainders.push_back(remainderTile(size, columns));
  return tiles;
}

/// Register tiles are side by side while their rows of A are in the cache. Kernels on tile
/// registers loop over the rows of a block themselves.
BlockTiles GemmPlanner::tilesOf(const MBlocks &rows, const NBlocks &columns) const {
  int64_t perRow = sumsPerRow(columns.tileColumns),
          maxTile = result.blocking.usesTiles ? rows.rows : rowsOfTile(rows.rows, perRow);
  BlockTiles block;
  if (hasDynamicRows())
    block.tiles.push_back(dynamicTiles(rows.rows, columns, maxTile));
  else
    for (const TileRun &batches : balancedTiles(rows.batches, outerRowsOfTile(perRow))) {
      bool areJoined = batches.size > 1;
      block.tiles.push_back({batches, areJoined
                                          ? std::vector<TileRun>{{0, batches.size * rows.rows, 1}}
                                          : balancedTiles(rows.rows, maxTile, rowGrain())});
    }
  for (const KBlocks &depth : result.kBlocks) {
    block.prefetches.push_back(prefetch(rows, columns, depth, maxTile));
    if (hasDynamicRows())
      block.remainderPrefetches.push_back(remainderPrefetches(rows, columns, depth));
  }
  return block;
}

void GemmPlanner::planUpconvertedTiles() {
  const UpconversionBlocking &upconversion = *result.upconversion;
  result.upconvertedK = kBlocks(gemm.k, upconversion.kc, /*areProducts=*/false);
  int64_t columns = upconversion.columns, whole = gemm.n / columns, remainder = gemm.n % columns;
  if (whole > 0)
    result.upconvertedColumns.push_back({{0, columns, whole}, columns, 1});
  if (remainder > 0)
    result.upconvertedColumns.push_back({{whole * columns, remainder, 1}, remainder, 1});
  for (const MBlocks &rows : result.rowBlocks) {
    result.isUpconverted.push_back(isUpconversionProfitable(
        cpu, *gemm.narrowB, rows.rows, gemm.k, result.blocking.mr, result.blocking.kc));
    result.upconvertedTiles.emplace_back();
    for (const NBlocks &block : result.upconvertedColumns)
      result.upconvertedTiles.back().push_back(upconvertedTiles(rows, block));
  }
}

UpconvertedTiles GemmPlanner::upconvertedTiles(const MBlocks &rows, const NBlocks &block) const {
  const UpconversionBlocking &upconversion = *result.upconversion;
  int64_t columns = block.width();
  UpconvertedTiles tiles;
  tiles.otherColumns = std::min(upconversion.nr, columns);
  tiles.firstColumns = std::min(result.blocking.nr, columns);
  int64_t maxRows = std::max<int64_t>(1, upconversion.accumulators /
                                             divideCeil(tiles.otherColumns, gemm.lanes)),
          maxFirst =
              std::max<int64_t>(1, result.blocking.accumulators / sumsPerRow(tiles.firstColumns)),
          others = divideCeil(std::max<int64_t>(rows.rows - maxFirst, 0), maxRows),
          balanced = divideCeil(rows.rows, others + 1);
  tiles.firstRows = std::min(maxFirst, std::max(rows.rows - others * maxRows, balanced));
  if (tiles.firstRows < rows.rows)
    tiles.others = balancedTiles(rows.rows - tiles.firstRows, maxRows);
  for (const KBlocks &depth : result.upconvertedK)
    tiles.prefetches.push_back(nextPanel(rows, block, depth));
  return tiles;
}

GemmPlan GemmPlanner::plan() {
  setBlocking(/*mayUseTiles=*/true);
  fallBackFromTiles();
  chooseDotProducts();
  findOuterRows();
  chooseUpconversion();
  if (gemm.m == 0 || gemm.n == 0)
    return result;
  result.rowBlocks = rowBlocks();
  result.kBlocks = kBlocks();
  result.columns = columnBlocks();
  for (const MBlocks &rows : result.rowBlocks) {
    result.tiles.emplace_back();
    for (const NBlocks &columns : result.columns)
      result.tiles.back().push_back(tilesOf(rows, columns));
  }
  if (result.upconversion)
    planUpconvertedTiles();
  choosePackedA();
  return result;
}

int64_t usualDepth(const Cpu &cpu, GemmShape shape, const GemmTile &tile) {
  shape.m = shape.k = 1 << 20; // more than any block has
  return gemmBlocking(cpu, shape, tile).kc;
}

GemmPlan planGemm(const Cpu &cpu, const GemmFacts &facts) { return GemmPlanner(cpu, facts).plan(); }

} // namespace kgen
