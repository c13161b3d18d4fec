// The plan of a macro-kernel (BLIS): blocks of rows, of the reduction and of columns, register
// tiles and what they prefetch. Plain data; transforms/macrokernel builds the loops. Sizes and
// strides are in elements.
#pragma once

#include "costmodel/GemmBlocking.h"

#include <vector>

namespace kgen {

/// Strides of an operand by iteration dimension.
struct GemmStrides {
  int64_t outer = 0; ///< of the last batch dimension
  int64_t m = 0, n = 0, r = 0, k = 0;
};

/// A contraction on buffers: products over k are added up for r pairs of matrices. Batch dimensions
/// that continue the rows of all operands are part of m.
struct GemmFacts {
  int64_t outer = 1; ///< size of the last batch dimension
  bool hasBatch = false;
  int64_t m = 1, n = 1, r = 1, k = 1;
  /// The number of rows is known at run time: `m` is the greatest, and all are multiples of this. 0
  /// if `m` is the number.
  int64_t rowDivisor = 0;
  bool hasDynamicOuter = false; ///< `outer` is the greatest, likewise, or so are its strides
  bool hasDynamicProducts =
      false; ///< the stride of r in A is known at run time: one in each kernel
  GemmStrides a, b, c;
  std::vector<GemmStrides> epilogues;

  int64_t panel = 0; ///< columns of a panel of packed B; 0: B is not packed
  int64_t vnni = 1;
  int64_t lanes = 1;              ///< of a vector of sums
  int64_t aBytes = 4, bBytes = 4; ///< of an element
  bool hasOneType = true;         ///< A, B and the sums
  bool hasFloats = true;          ///< B
  bool storesSums = true;         ///< C has the type of the sums
  bool f16Accumulate = false, strictOrder = false, isQuantized = false;
  bool hasImplicitPads = false;
  bool isContiguousAlongK = false; ///< rows of A and columns of B, whose products are summed freely
  bool convertsBytes = false;      ///< kernels up-convert bytes of B in blocks of k
  bool convertsPairs = false;      ///< kernels up-convert pairs of B in registers
  /// bf16 or f16 of B if A and the sums are f32.
  std::optional<Element> narrowB;

  int64_t bytesOfA = 0, bytesOfB = 0; ///< of the whole tensors, of which a task may have a slice
  int64_t bytesOfMatrixB = 0;         ///< the same of one matrix of a batch of B
  bool hasPanelsBeside = false;       ///< B has more panels than one, here or in the whole tensor
  int64_t panelRowElements = 0;       ///< of a row of a panel: its columns for one VNNI group of k
  int64_t quantizedPanelRows = 0;     ///< rows of a panel of quantized B, which has all of k
  /// Rows of a panel for `depth` values of k.
  int64_t panelRows(int64_t depth) const {
    return isQuantized ? quantizedPanelRows : (depth + vnni - 1) / vnni;
  }

  GemmBlocking blocking;       ///< block sizes of the target
  GemmBlocking vectorBlocking; ///< the same without tile registers
  int64_t usualKc = 1;         ///< depth of a block where neither m nor k limits it
};

/// `count` equal ranges of `size`, one after the other, from `start` on.
struct TileRun {
  int64_t start, size, count;
};

/// `total` as tiles of at most `maxSize` whose sizes differ by `grain` at most: the larger ones
/// first. All are multiples of `grain`, except for the last one.
std::vector<TileRun> balancedTiles(int64_t total, int64_t maxSize, int64_t grain = 1);

/// Equal blocks of rows: ranges of rows, or, with outer rows, ranges of the last batch dimension
/// with all rows.
struct MBlocks {
  TileRun blocks;
  int64_t batches; ///< batch indices in a block, which have the same B
  int64_t rows;    ///< of each of them
  int64_t all() const { return batches * rows; }
};

/// Equal blocks of the reduction: ranges of r if there are several products, else of k.
struct KBlocks {
  TileRun blocks;
  int64_t depth;        ///< values of k
  int64_t products;     ///< that one kernel adds up
  bool isFirst, isLast; ///< the first one starts from zero, the last one applies the epilogue
};

/// Equal blocks of columns: `tiles` register tiles side by side in each.
struct NBlocks {
  TileRun blocks;
  int64_t tileColumns, tiles;
  int64_t width() const { return tileColumns * tiles; }
};

/// A register tile of rows that whole tiles leave, side by side with others of these rows.
struct RemainderTile {
  int64_t rows, tileColumns, tiles;
};

/// Register tiles of a block of rows: for each range of batch indices, the tiles of its rows. The
/// rows of several batch indices are one tile. Where the number of rows is known at run time, there
/// is one run of whole tiles, and `remainders` are the tiles that what remains is made of, by
/// ascending numbers of rows. Fewer rows than a tile, and one less after a whole tile, are one of
/// them; what else remains after a whole tile is divided, with that one, into two whose rows differ
/// by one at most.
struct RowTiles {
  TileRun batches;
  std::vector<TileRun> rows;
  std::vector<RemainderTile> remainders = {};
};

/// Prefetch targets of the kernels of a block.
enum class GemmPrefetch {
  none,
  ownPanel,    ///< the panel that they read, in several access streams or some elements ahead
  nextPanel,   ///< the panel of B after this one
  nextKBlock,  ///< the same columns of an unpacked B in the next block of k
  nextColumns, ///< the columns of an unpacked B after the next ones
  nextRowsOfA  ///< the block of rows after this one
};

struct GemmPrefetchPlan {
  GemmPrefetch target = GemmPrefetch::none;
  int64_t streams = 0;        ///< of ownPanel
  int64_t elementsPerRow = 0; ///< that each row of A prefetches of another target
  /// If not 0, as many elements are spread over the register tiles that there are at run time, and
  /// elementsPerRow is for a tile with the greatest share.
  int64_t elements = 0;
  int64_t ahead = 0; ///< elements of ownPanel that are prefetched earlier than they are read
};

/// Prefetch plans of the kernels for RowTiles::remainders.
struct RemainderPrefetchPlans {
  int64_t maxFewRows;      ///< of tiles for `few`
  GemmPrefetchPlan few;    ///< in access streams
  GemmPrefetchPlan alone;  ///< more, which are all rows
  GemmPrefetchPlan shared; ///< together with whole tiles
};

/// A block of rows times a block of columns.
struct BlockTiles {
  std::vector<RowTiles> tiles;
  std::vector<GemmPrefetchPlan> prefetches;                ///< for each of the k blocks
  std::vector<RemainderPrefetchPlans> remainderPrefetches; ///< likewise, if there are remainders
};

/// Tiles and prefetches of a block whose panels are up-converted once: the first rows store them,
/// the others read them.
struct UpconvertedTiles {
  int64_t firstRows, firstColumns;          ///< of the register tiles that up-convert
  std::vector<TileRun> others;              ///< rows from firstRows on
  int64_t otherColumns;                     ///< of their register tiles
  std::vector<GemmPrefetchPlan> prefetches; ///< of the rows together, for each of the k blocks
};

struct GemmPlan {
  GemmBlocking blocking;
  bool usesDotProducts = false;
  bool hasOuterRows = false; ///< register tiles and blocks take rows of several batch indices
  bool packsA = false;       ///< blocks of A are packed for matrix products, see packedBytesOfA
  std::vector<MBlocks> rowBlocks;
  std::vector<KBlocks> kBlocks;
  std::vector<NBlocks> columns;
  std::vector<std::vector<BlockTiles>> tiles; ///< by number of the row block and the column block

  std::optional<UpconversionBlocking> upconversion; ///< if panels are up-converted once
  bool needsPartialSums = false;                    ///< C cannot hold the sums between blocks of k
  std::vector<bool> isUpconverted;   ///< by row block: the others up-convert in registers
  std::vector<KBlocks> upconvertedK; ///< k blocks of such a row block, inside of the columns
  std::vector<NBlocks> upconvertedColumns;
  std::vector<std::vector<UpconvertedTiles>> upconvertedTiles; ///< as `tiles`
};

/// Bytes of a block of A whose rows are packed in pairs: groups of k of one row and the next
/// alternate, so that a vector has both rows.
inline int64_t packedBytesOfA(const GemmFacts &facts, int64_t rows, int64_t depth) {
  return rows / 2 * 2 * depth * facts.aBytes;
}

/// Depth of a block that neither the number of rows nor that of products limits, for the register
/// tile `tile`: all of k where C has another type than the sums, which cannot wait in it. Reads no
/// rows and products of `shape`.
int64_t usualDepth(const Cpu &cpu, GemmShape shape, const GemmTile &tile);

GemmPlan planGemm(const Cpu &cpu, const GemmFacts &facts);

} // namespace kgen
