// Register tiles and cache blocks of contractions: an analytical model of the five loops around a
// micro-kernel. It follows T. M. Low, F. D. Igual, T. M. Smith and E. S. Quintana-Orti, "Analytical
// Modeling Is Enough for High-Performance BLIS" (ACM TOMS 43(2), 2016), with measured sizes from
// the target's YAML in place of theirs. There is one function for each regime.
//
//     size          where it comes from
//     accumulators  mr * nr / lanes of `gemm_tiles`, measured: enough sums to hide the latency of a
//                   multiply-add, and registers left for a row of B and an element of A. Default:
//                   half of the registers.
//     panel         two cache lines of sums (panelWidth), fewer for few columns
//     nr            `gemm_tiles`, at most a panel
//     mr            accumulators / (nr / lanes)
//     kc            `gemm_tiles`: a panel's block of k stays in L2 beside A's block
//     mc            `gemm_tiles`
//
// Exceptions are stated where they are made.
#include "costmodel/GemmBlocking.h"

#include "costmodel/Caches.h"
#include "costmodel/Products.h"
#include "costmodel/Rounding.h"

#include <algorithm>

namespace kgen {
namespace {

/// The cases that have formulas of their own.
enum class Regime {
  tiles,  ///< packed B, products in tile registers
  packed, ///< packed B, products in vector registers
  inPlace,
  fewRowsInPlace ///< B in place, fewer rows than a register tile has
};

/// gemm_tiles[table][name], or `otherwise` if the target has no such entry.
int64_t tileSize(const Cpu &cpu, const std::string &table, const std::string &name,
                 int64_t otherwise) {
  auto sizes = cpu.gemmTiles.find(table);
  if (sizes == cpu.gemmTiles.end())
    return otherwise;
  auto size = sizes->second.find(name);
  return size == sizes->second.end() ? otherwise : size->second;
}

/// The arguments of gemmBlocking, and the values that all regimes derive from them.
struct GemmProblem {
  const Cpu &cpu;
  Element b, accumulator;
  int64_t m, n, k;
  bool isPacked, f16Accumulate;
  const GemmTile &tile;
  bool isUpconverted; ///< B becomes f32 in registers and uses the tiles of f32
  int64_t lanes;      ///< sums in a vector register
  int64_t mr = tile.rows, nr = tile.columns;

  int64_t size(const char *name, int64_t otherwise) const {
    return tileSize(cpu, tile.table, name, otherwise);
  }
  int64_t depth() const { return std::max<int64_t>(k, 1); }
  int64_t vectors(int64_t columns) const { return divideCeil(columns, lanes); }
  bool usesTiles() const { return tile.products == GemmTile::Products::tiles; }
  int64_t accumulators() const { return std::max<int64_t>(1, mr * vectors(nr)); }
  /// Registers for `columns` of all m rows: the sums, a row of B and an element of A.
  int64_t registers(int64_t columns) const { return vectors(columns) * (m + 1) + 1; }
  Regime regime() const {
    if (isPacked)
      return usesTiles() ? Regime::tiles : Regime::packed;
    return m < mr ? Regime::fewRowsInPlace : Regime::inPlace;
  }
};

/// Columns of a packed panel of B: 128 bytes of sums, two cache lines. Every target's register tile
/// divides it, so that all variants share one copy of the packed weights. Few columns get a panel
/// of their own width, rounded up to a power of two.
int64_t panelWidth(int64_t accumulatorBytes, int64_t n) {
  int64_t maxWidth = 128 / accumulatorBytes;
  return std::min<int64_t>(maxWidth, powerOf2Ceil(std::max<int64_t>(n, 1)));
}

/// Rows of a register tile of `vectors` columns of vectors for B that is up-converted in registers:
/// beside the sums, these hold B's vectors before and after, an element of A, and a mask.
int64_t rowsWithUpconversion(const Cpu &cpu, Element b, int64_t mr, int64_t vectors) {
  int64_t others = vectors * vnniFactor(b) + 2;
  if (!cpu.hasFma) // products before they are added
    others += 3;
  if (b == Element::f16 && !cpu.hasF16Conversion) // intermediate values of its emulation
    others += 4;
  return std::clamp<int64_t>((cpu.vectorRegisters - others) / vectors, 1, mr);
}

/// The key of the tiles of f32, or of another type of sums.
std::string tableOfSums(Element b) { return std::string("gemm_") + nameOf(accumulatorOf(b)); }

int64_t lanesOf(const Cpu &cpu, const GemmShape &shape) {
  return lanes(cpu, shape.f16Accumulate ? shape.b : accumulatorOf(shape.b));
}

/// A register tile of `nr` columns, with as many rows as there are accumulators for.
GemmBlocking registerTile(const GemmProblem &problem, int64_t nr) {
  GemmBlocking blocking;
  blocking.usesTiles = problem.usesTiles();
  blocking.rowGrain = problem.tile.rowGrain;
  blocking.panel = panelWidth(bytesOf(problem.accumulator), problem.n);
  blocking.accumulators = problem.accumulators();
  blocking.nr = nr;
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / problem.vectors(nr));
  return blocking;
}

/// Columns of a register tile. One on panels divides them: they have a power of two of columns.
int64_t minOfPanel(const GemmProblem &problem) {
  int64_t nr = problem.isPacked ? powerOf2Floor(problem.nr) : problem.nr;
  return std::min(nr, panelWidth(bytesOf(problem.accumulator), problem.n));
}

/// Rows of a block of A with all of `k` that has as many elements as one of mc x kc, in whole
/// register tiles: two at least, so that a panel of B serves more than one.
int64_t rowsOfDeepBlock(const GemmBlocking &blocking, int64_t k) {
  int64_t rows = blocking.mc * blocking.kc / std::max<int64_t>(k, 1);
  return std::max<int64_t>(2, rows / blocking.mr) * blocking.mr;
}

/// Cache blocks of kernels on vector registers, from a depth of `kc`.
void blockCaches(const GemmProblem &problem, int64_t kc, GemmBlocking &blocking) {
  blocking.mc = std::max(blocking.mr, problem.size("mc", 96));
  blocking.kc = kc;
  // C of another type than the sums' cannot keep them between blocks of k, so all of k is one
  // block. If panels are up-converted for all rows of a block, it has no fewer than the table's: A
  // is read from further away then, once for each pair of panels.
  if (problem.accumulator != problem.b) {
    int64_t minRows = problem.isPacked && problem.isUpconverted ? blocking.mc : 0;
    blocking.mc = std::max(minRows, rowsOfDeepBlock(blocking, problem.k));
    blocking.kc = problem.depth();
  }
  // With one tile of rows, a panel is read once: blocks of it would only move C.
  if (problem.isPacked && problem.m <= blocking.mr && blocking.nr == blocking.panel)
    blocking.kc = problem.depth();
  // A remainder of less than half a block is cheaper as part of the last one.
  if (problem.k < blocking.kc + blocking.kc / 2)
    blocking.kc = problem.depth();
}

int64_t tableDepth(const GemmProblem &problem) {
  return std::max<int64_t>(1, problem.size("kc", 1024));
}

/// Tile registers: A's block has as many rows as fill half of L2, and kc is such that a panel of B
/// fills two thirds of L1.
GemmBlocking blockForTiles(const GemmProblem &problem) {
  const Cpu &cpu = problem.cpu;
  GemmBlocking blocking = registerTile(problem, minOfPanel(problem));
  int64_t rowsOfTile = problem.tile.rowGrain;
  int64_t bytes = bytesOf(problem.b), depth = problem.depth();
  // The sums of all rows wait between blocks of k, which limits the rows, too.
  const Heuristics &limits = cpu.heuristics;
  int64_t rows = std::max(limits.minTileBlockRows, capacity(cpu, Cache::l2, Share::half) /
                                                       (depth * bytes) / rowsOfTile * rowsOfTile);
  blocking.mc =
      std::max(blocking.mr, std::min({rows, problem.size("mc", 256), limits.maxTileBlockRows}));
  int64_t lines = std::max<int64_t>(1, capacity(cpu, Cache::l1, Share::twoThirds) /
                                           (blocking.nr * cpu.lineBytes));
  blocking.kc = std::max<int64_t>(1, problem.size("kc", lines * cpu.lineBytes / bytes));
  // A remainder of less than a quarter of a block is cheaper as part of the others.
  if (depth <= blocking.kc + blocking.kc / 4)
    blocking.kc = depth;
  return blocking;
}

/// Packed B: few rows take all of a panel if the registers allow it, which makes one access stream
/// of B instead of slices of its rows.
GemmBlocking blockForPackedB(const GemmProblem &problem) {
  int64_t panel = panelWidth(bytesOf(problem.accumulator), problem.n), nr = minOfPanel(problem);
  while (problem.b == problem.accumulator && problem.m > 0 && 2 * nr <= panel &&
         problem.registers(2 * nr) <= problem.cpu.vectorRegisters &&
         problem.m * problem.vectors(2 * nr) <= problem.accumulators())
    nr *= 2;
  GemmBlocking blocking = registerTile(problem, nr);
  blockCaches(problem, tableDepth(problem), blocking);
  return blocking;
}

GemmBlocking blockInPlace(const GemmProblem &problem) {
  GemmBlocking blocking = registerTile(problem, minOfPanel(problem));
  blockCaches(problem, tableDepth(problem), blocking);
  return blocking;
}

/// Few rows and B in place: a tile takes a few columns of some rows of B and then the next ones, so
/// that each of these rows is a stream that a hardware prefetcher can follow. kc is the number of
/// these rows: all of B passes by in so many streams while C stays in the cache, with enough
/// products for each visit of C to hide its latency. If one tile holds all columns, B is one
/// stream, and kc is all of k.
GemmBlocking blockFewRowsInPlace(const GemmProblem &problem) {
  int64_t vectors = std::max<int64_t>(problem.accumulators() / std::max<int64_t>(problem.m, 1), 1);
  int64_t all = problem.vectors(std::max<int64_t>(problem.n, 1));
  // One row uses each vector of B once, as an operand in memory.
  bool isOneTile = all <= vectors &&
                   (problem.m <= 1 || problem.registers(problem.n) <= problem.cpu.vectorRegisters);
  vectors = isOneTile ? all : std::min(vectors, problem.cpu.heuristics.maxVectorsInPlace);
  GemmBlocking blocking = registerTile(problem, vectors * problem.lanes);
  auto rowsOfB = std::max<int64_t>(8, powerOf2Ceil(4 * problem.m));
  blockCaches(problem, isOneTile ? problem.depth() : rowsOfB, blocking);
  return blocking;
}

} // namespace

/// Chooses the table and reads the register tile from it. Defaults: half of the vector registers
/// hold C in tiles of two vectors, or four of eight tile registers do. Sums in f16 have tiles as
/// wide as a panel, one vector, in three quarters of the registers. Matrix products have tiles of
/// four vectors, so that the rows of A, which are interleaved for each tile, serve several columns.
GemmTile gemmTile(const Cpu &cpu, const GemmShape &shape) {
  const Product *product = nullptr;
  if (shape.isPacked && !shape.f16Accumulate) {
    product = matrixProduct(cpu, shape.a, shape.b, shape.depth);
    if (shape.mayUseTiles && productForm(cpu, shape.a, shape.b) == ProductForm::tile)
      product = cpu.product(Product::Kind::tile, shape.b);
  }
  GemmTile tile;
  bool usesTiles = product && product->inTiles, usesMatrix = product && !product->inTiles;
  if (product) {
    tile.products = usesTiles ? GemmTile::Products::tiles : GemmTile::Products::matrix;
    tile.rowGrain = product->rows;
  }
  Element accumulator = accumulatorOf(shape.b);
  tile.table = std::string(product ? product->family : "gemm") + "_" + nameOf(shape.b);
  bool isUpconverted = !product && !shape.f16Accumulate && shape.b != accumulator &&
                       accumulator == Element::f32 &&
                       (shape.b == Element::f16 || !cpu.gemmTiles.count(tile.table));
  if (isUpconverted)
    tile.table = tableOfSums(shape.b);
  int64_t lanes = lanesOf(cpu, shape), registers = cpu.vectorRegisters;
  tile.columns = tileSize(cpu, tile.table, "nr",
                          shape.f16Accumulate ? lanes
                          : usesMatrix        ? 4 * lanes
                                              : 2 * lanes);
  tile.rows = tileSize(cpu, tile.table, "mr",
                       usesTiles             ? 32
                       : shape.f16Accumulate ? 3 * registers / 4
                       : usesMatrix          ? std::max<int64_t>(2, registers / 8)
                                             : std::max<int64_t>(1, registers / 4));
  if (isUpconverted)
    tile.rows = rowsWithUpconversion(cpu, shape.b, tile.rows, divideCeil(tile.columns, lanes));
  return tile;
}

GemmBlocking gemmBlocking(const Cpu &cpu, const GemmShape &shape) {
  return gemmBlocking(cpu, shape, gemmTile(cpu, shape));
}

GemmBlocking gemmBlocking(const Cpu &cpu, const GemmShape &shape, const GemmTile &tile) {
  Element accumulator = accumulatorOf(shape.b);
  bool isUpconverted =
      shape.b != accumulator && !shape.f16Accumulate && tile.table == tableOfSums(shape.b);
  GemmProblem problem{cpu,     shape.b,       accumulator,        shape.m,
                      shape.n, shape.k,       shape.isPacked,     shape.f16Accumulate,
                      tile,    isUpconverted, lanesOf(cpu, shape)};
  switch (problem.regime()) {
  case Regime::tiles:
    return blockForTiles(problem);
  case Regime::packed:
    return blockForPackedB(problem);
  case Regime::inPlace:
    return blockInPlace(problem);
  case Regime::fewRowsInPlace:
    break;
  }
  return blockFewRowsInPlace(problem);
}

} // namespace kgen
