#include "costmodel/GemmPlan.h"

#include "costmodel/Caches.h"
#include "costmodel/Rounding.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace kgen {

std::vector<TileRun> balancedTiles(int64_t total, int64_t maxSize) {
  int64_t count = divideCeil(total, maxSize), low = total / count, high = total % count;
  std::vector<TileRun> runs;
  if (high > 0)
    runs.push_back({0, low + 1, high});
  runs.push_back({(low + 1) * high, low, count - high});
  return runs;
}

namespace {

class GemmPlanner {
public:
  GemmPlanner(const Cpu &cpu, const GemmFacts &gemm) : cpu(cpu), gemm(gemm) {}

  GemmPlan plan();

private:
  // Block sizes.
  void setBlocking(bool mayUseAmx);
  void fallBackFromAmx();
  void chooseDotProducts();
  void findOuterRows();
  void chooseUpconversion();
  bool hasPageDistantRows() const;
  bool areDotProducts() const { return gemm.panel == 0 && gemm.isContiguousAlongK; }

  // Register tiles.
  bool isPlain() const;
  int64_t sumsPerRow(int64_t columns) const;
  int64_t maxRows(int64_t vectors) const;
  int64_t rowsOfTile(int64_t rows, int64_t vectors) const;
  int64_t rowsInCache() const;
  int64_t outerRowsOfTile(int64_t vectors) const;

  // Blocks.
  std::vector<RowBlocks> rowBlocks() const;
  std::vector<KBlocks> kBlocks() const;
  std::vector<KBlocks> kBlocks(int64_t total, int64_t size, bool areProducts) const;
  std::vector<ColumnBlocks> columnBlocks() const;
  BlockTiles tilesOf(const RowBlocks &rows, const ColumnBlocks &columns) const;
  void planUpconvertedTiles();
  UpconvertedTiles upconvertedTiles(const RowBlocks &rows, const ColumnBlocks &block) const;

  // Prefetches.
  bool isBFromMemory() const;
  GemmPrefetchPlan prefetch(const RowBlocks &rows, const ColumnBlocks &columns,
                            const KBlocks &depth, int64_t maxTile) const;
  int64_t streamsOfB(int64_t rows, int64_t depth) const;
  GemmPrefetchPlan nextPanel(const RowBlocks &rows, const ColumnBlocks &columns,
                             const KBlocks &depth) const;
  GemmPrefetchPlan nextColumnsOfB(const RowBlocks &rows, const ColumnBlocks &columns,
                                  const KBlocks &depth) const;
  GemmPrefetchPlan nextRowsOfA(const RowBlocks &rows, const ColumnBlocks &columns,
                               const KBlocks &depth) const;

  const Cpu &cpu;
  const GemmFacts &gemm;
  GemmPlan result;
  int64_t usualKc = 1; ///< k of a block by the target's block sizes; a kernel adds up little more
};

//===--- Block sizes ---===//

void GemmPlanner::setBlocking(bool mayUseAmx) {
  GemmBlocking &blocking = result.blocking;
  blocking = mayUseAmx ? gemm.blocking : gemm.vectorBlocking;
  // C keeps the sums between blocks. AMX kernels have blocks of k and sums of their own.
  int64_t all = std::max<int64_t>(gemm.r * gemm.k, 1);
  bool isWhole = blocking.usesAmx || !gemm.storesSums;
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

/// Vectors instead of AMX where the order of the reduction is strict, or A is not contiguous along
/// k.
void GemmPlanner::fallBackFromAmx() {
  bool isContiguous = gemm.a.k == 1 || gemm.k <= 1;
  if (result.blocking.usesAmx && (gemm.strictOrder || !isContiguous))
    setBlocking(/*mayUseAmx=*/false);
}

/// Dot products keep one vector of partial sums for each result, beside a vector of each column and
/// one of A: square tiles read the least.
void GemmPlanner::chooseDotProducts() {
  result.usesDotProducts = areDotProducts();
  if (!result.usesDotProducts)
    return;
  GemmBlocking &blocking = result.blocking;
  // 4 x 3 sums hide the latency of a multiply-add (5 cycles at most, 2 a cycle) on all targets.
  const int64_t columns = cpu.heuristics.independentChains, sums = 3 * columns;
  blocking.nr = std::min(columns, gemm.n);
  int64_t maxSums = cpu.vectorRegisters - blocking.nr - 2;
  if (blocking.nr > 1)
    blocking.accumulators = std::clamp(maxSums, columns, sums);
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / blocking.nr);
  blocking.kc = usualKc = std::max<int64_t>(gemm.r * gemm.k, 1);
}

/// Decides whether blocks take rows of several batch indices with the same B that are not
/// contiguous, as those of convolutions: all that fit a block, before the next columns of B.
void GemmPlanner::findOuterRows() {
  result.hasOuterRows = gemm.hasBatch && gemm.b.outer == 0 && gemm.outer > 1 && gemm.m > 0 &&
                        gemm.m <= result.blocking.mc;
}

void GemmPlanner::chooseUpconversion() {
  if (!gemm.narrowB || gemm.panel == 0 || gemm.isQuantized || result.usesDotProducts ||
      result.hasOuterRows || gemm.hasImplicitPads || gemm.r > 1 || gemm.k == 0)
    return;
  result.upconversion = upconversionBlocking(cpu, result.blocking, *gemm.narrowB, gemm.m, gemm.n,
                                             gemm.k, !gemm.storesSums);
  if (!result.upconversion)
    return;
  result.blocking.mc = result.upconversion->mc;
  result.blocking.kc = result.upconversion->kc;
  result.needsPartialSums = !gemm.storesSums && result.upconversion->kc < gemm.k;
}

//===--- Register tiles: limited by the registers, by the rows of the block, and by L1 ---===//

/// True if kernels multiply rows of floats of B by elements of A of the same type.
bool GemmPlanner::isPlain() const {
  return !result.usesDotProducts && gemm.n > 1 && gemm.hasOneType && !gemm.isQuantized &&
         gemm.hasFloats && gemm.vnni == 1 && cpu.hasFeature("fma");
}

/// Vectors of sums in each row of a register tile of `columns`. Where pairs of B are up-converted,
/// one vector counts as two, since LLVM takes a further register for each of them.
int64_t GemmPlanner::sumsPerRow(int64_t columns) const {
  int64_t vectors = result.usesDotProducts ? columns : divideCeil(columns, gemm.lanes);
  return gemm.convertsPairs ? std::max<int64_t>(vectors, 2) : vectors;
}

/// Rows of `vectors` sums each that the registers hold beside a row of B and an element of A.
int64_t GemmPlanner::maxRows(int64_t vectors) const {
  int64_t usual = std::max<int64_t>(1, result.blocking.accumulators / vectors);
  return isPlain() ? std::max(usual, (cpu.vectorRegisters - vectors - 2) / vectors) : usual;
}

/// Rows of a register tile with `vectors` in each, of `rows` in all: as the target's block sizes
/// say, or as many as there are registers for if that makes fewer tiles, and
///   either the usual tiles would be less than 5/6 full,
///   or there is implicit padding, whose kernels differ by row.
int64_t GemmPlanner::rowsOfTile(int64_t rows, int64_t vectors) const {
  int64_t usual = std::max<int64_t>(1, result.blocking.accumulators / vectors),
          maxRowsOfTile = maxRows(vectors), tiles = divideCeil(rows, usual);
  bool isProfitable = 6 * rows < 5 * usual * tiles || gemm.hasImplicitPads;
  int64_t chosen = isProfitable && divideCeil(rows, maxRowsOfTile) < tiles ? maxRowsOfTile : usual;
  bool readsBOnce = gemm.panel == 0 && rows <= chosen; // from memory
  return readsBOnce ? chosen : std::min(chosen, rowsInCache());
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

std::vector<RowBlocks> GemmPlanner::rowBlocks() const {
  const GemmBlocking &blocking = result.blocking;
  std::vector<RowBlocks> blocks;
  if (result.hasOuterRows) {
    // Windows overlap: what counts is how much of the image a block reads.
    int64_t maxCount =
        std::max(blocking.mc / gemm.m, blocking.mc * usualKc / std::max<int64_t>(gemm.a.outer, 1));
    int64_t count = divideCeil(gemm.outer, divideCeil(gemm.outer, maxCount)),
            whole = gemm.outer / count, rest = gemm.outer - whole * count;
    blocks.push_back({{0, count, whole}, count, gemm.m});
    if (rest > 0)
      blocks.push_back({{whole * count, rest, 1}, rest, gemm.m});
    return blocks;
  }
  int64_t count = divideCeil(gemm.m, blocking.mc),
          rows = std::min(gemm.m, roundUp(divideCeil(gemm.m, count), blocking.mr)),
          whole = gemm.m / rows, rest = gemm.m - whole * rows;
  blocks.push_back({{0, rows, whole}, 1, rows});
  if (rest > 0)
    blocks.push_back({{whole * rows, rest, 1}, 1, rest});
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
std::vector<ColumnBlocks> GemmPlanner::columnBlocks() const {
  int64_t nr = std::min(result.blocking.nr, gemm.n), width = std::max(nr, gemm.panel / nr * nr),
          panels = gemm.n / width, tiles = gemm.n / nr - panels * (width / nr), rest = gemm.n % nr;
  std::vector<ColumnBlocks> blocks;
  if (panels > 0)
    blocks.push_back({{0, width, panels}, nr, width / nr});
  if (tiles > 0)
    blocks.push_back({{panels * width, tiles * nr, 1}, nr, tiles});
  if (rest > 0)
    blocks.push_back({{gemm.n - rest, rest, 1}, rest, 1});
  return blocks;
}

/// Register tiles are side by side while their rows of A are in the cache. AMX kernels loop over
/// the rows of a block themselves.
BlockTiles GemmPlanner::tilesOf(const RowBlocks &rows, const ColumnBlocks &columns) const {
  int64_t perRow = sumsPerRow(columns.tileColumns),
          maxTile = result.blocking.usesAmx ? rows.rows : rowsOfTile(rows.rows, perRow);
  BlockTiles block;
  for (const TileRun &batches : balancedTiles(rows.batches, outerRowsOfTile(perRow))) {
    bool areJoined = batches.size > 1;
    block.tiles.push_back({batches, areJoined
                                        ? std::vector<TileRun>{{0, batches.size * rows.rows, 1}}
                                        : balancedTiles(rows.rows, maxTile)});
  }
  for (const KBlocks &depth : result.kBlocks)
    block.prefetches.push_back(prefetch(rows, columns, depth, maxTile));
  return block;
}

void GemmPlanner::planUpconvertedTiles() {
  const UpconversionBlocking &upconversion = *result.upconversion;
  result.upconvertedK = kBlocks(gemm.k, upconversion.kc, /*areProducts=*/false);
  int64_t columns = upconversion.columns, whole = gemm.n / columns, rest = gemm.n % columns;
  if (whole > 0)
    result.upconvertedColumns.push_back({{0, columns, whole}, columns, 1});
  if (rest > 0)
    result.upconvertedColumns.push_back({{whole * columns, rest, 1}, rest, 1});
  for (const RowBlocks &rows : result.rowBlocks) {
    result.isUpconverted.push_back(isUpconversionProfitable(
        cpu, *gemm.narrowB, rows.rows, gemm.k, result.blocking.mr, result.blocking.kc));
    result.upconvertedTiles.emplace_back();
    for (const ColumnBlocks &block : result.upconvertedColumns)
      result.upconvertedTiles.back().push_back(upconvertedTiles(rows, block));
  }
}

UpconvertedTiles GemmPlanner::upconvertedTiles(const RowBlocks &rows,
                                               const ColumnBlocks &block) const {
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

//===--- Prefetches ---===//

/// True if B is worth prefetching: more than a quarter of the second-level cache, beside which
/// there is no room for A and C; a smaller one stays there.
bool GemmPlanner::isBFromMemory() const {
  return !fits(cpu, gemm.bytesOfMatrixB, Cache::l2, Share::quarter);
}

/// All tiles of a run of columns together prefetch the next panel, each a share in proportion to
/// its rows: little at a time, so that it arrives while the arithmetic units are busy.
GemmPrefetchPlan GemmPlanner::prefetch(const RowBlocks &rows, const ColumnBlocks &columns,
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

/// The number of access streams of B's panel, 0 if the kernel should not prefetch it itself. For
/// packed B, k is split into so many ranges that are read side by side, where one tile has all
/// rows: each panel is then read once, as fast as memory delivers it. One row of A reads two
/// ranges, since the hardware prefetcher stops at the end of a page. Several rows read one: with
/// two, A would be read at twice as many addresses, which cause conflict misses if its rows are a
/// page apart. Contiguous columns of B are a stream each anyway; prefetching them pays for one row.
int64_t GemmPlanner::streamsOfB(int64_t rows, int64_t depth) const {
  if (result.usesDotProducts)
    return rows == 1 && !fits(cpu, gemm.bytesOfB, Cache::l2) ? 1 : 0;
  if (gemm.panel == 0 || gemm.isQuantized || result.blocking.usesAmx || gemm.convertsBytes ||
      gemm.r > 1 || !isBFromMemory())
    return 0;
  int64_t streams = gemm.strictOrder || rows > 1 ? 1 : 2;
  while (streams > 0 && depth / streams < cpu.heuristics.minStreamRows)
    streams /= 2;
  return streams;
}

/// The panel of B behind this one, to the depth of a block of k. Each row of A prefetches its
/// share, for each product of r. None if B has no other panel, or is small.
GemmPrefetchPlan GemmPlanner::nextPanel(const RowBlocks &rows, const ColumnBlocks &columns,
                                        const KBlocks &depth) const {
  if (gemm.panel == 0 || !gemm.hasPanelsBeside || columns.width() < gemm.panel || !isBFromMemory())
    return {};
  return {GemmPrefetch::nextPanel, 0,
          divideCeil(gemm.panelRows(depth.depth) * gemm.panelRowElements, rows.all())};
}

/// The rows of an unpacked B that are read next: the same columns of the next block of k, or, if
/// all columns of a block are more than a quarter of the second-level cache, the columns after the
/// next ones. None if the kernels do not multiply vectors of such rows, or if they take all columns
/// at once.
GemmPrefetchPlan GemmPlanner::nextColumnsOfB(const RowBlocks &rows, const ColumnBlocks &columns,
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

/// The block of rows of A behind this one. Each panel of B prefetches a part of it, in equal shares
/// for each row. None unless A is larger than the second-level cache, its blocks are contiguous,
/// and two of them are at most half of the second-level cache.
GemmPrefetchPlan GemmPlanner::nextRowsOfA(const RowBlocks &rows, const ColumnBlocks &columns,
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

GemmPlan GemmPlanner::plan() {
  setBlocking(/*mayUseAmx=*/true);
  fallBackFromAmx();
  chooseDotProducts();
  findOuterRows();
  chooseUpconversion();
  if (gemm.m == 0 || gemm.n == 0)
    return result;
  result.rowBlocks = rowBlocks();
  result.kBlocks = kBlocks();
  result.columns = columnBlocks();
  for (const RowBlocks &rows : result.rowBlocks) {
    result.tiles.emplace_back();
    for (const ColumnBlocks &columns : result.columns)
      result.tiles.back().push_back(tilesOf(rows, columns));
  }
  if (result.upconversion)
    planUpconvertedTiles();
  return result;
}

} // namespace

GemmPlan planGemm(const Cpu &cpu, const GemmFacts &facts) { return GemmPlanner(cpu, facts).plan(); }

} // namespace kgen
