#include "transforms/tiling/ChainTiler.h"

#include "analysis/SizeBounds.h"
#include "costmodel/Caches.h"
#include "transforms/tiling/RowChain.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizationStrategy.h"

using namespace mlir;

namespace kgen {

ChainTiler::ChainTiler(linalg::LinalgOp root, ArrayRef<Operation *> excluded, TargetAttr target)
    : root(root), result(root.getMatchingIndexingMap(root.getDpsInitOperand(0))),
      sizes(loopSizes(root)), excluded(excluded), target(target),
      l1Bytes(capacity(target.cpu(), Cache::l1, Share::half)),
      l2Bytes(capacity(target.cpu(), Cache::l2, Share::quarter)), tiles(sizes.size()) {}

void ChainTiler::choose() {
  tileRows();
  inRegisters |= tileVectors();
  if (!inRegisters)
    tileColumns();
}

bool ChainTiler::isTransposed(const FusionGroup &group) const {
  return llvm::any_of(group.operations(), [&](Operation *member) {
    return llvm::any_of(group.loopsOf(member), [&](unsigned own) {
      return transposesRows(cast<linalg::LinalgOp>(member), own);
    });
  });
}

/// Tiles the outer loops of the result one by one until a tile fits in its cache budget. A loop
/// along which an operation of the chain reduces stays whole.
void ChainTiler::tileRows() {
  size_t members = 0; // of the chain, as soon as it is tiled
  for (unsigned dim = 0; dim < result.getNumResults(); ++dim) {
    unsigned loop = result.getDimPosition(dim);
    if (sizes[loop] == 1) // a task's slice of a larger dimension
      continue;
    SmallVector<int64_t> next = tiles;
    next[loop] = 1;
    FusionGroup group = groupOf(next);
    bool transposed = isTransposed(group);
    // The innermost dimension holds rows if the result has one element per row.
    bool hasRows = transposed || loop + 1 < sizes.size() || readsRowsAgain(group, root);
    if (!hasRows || !isRowChain(group, transposed) || group.operations().size() < members)
      continue;
    CacheTileSizes rows(root, next, loop, excluded, target);
    int64_t budget = budgetOf(group, transposed);
    inRegisters = transposed && rows.fitInRegisters();
    next[loop] = inRegisters  ? transposeBlock
                 : transposed ? rows.rowsWithin(transposed, budget)
                              : rowsOf(rows, group, budget);
    if (transposed && next[loop] % transposeBlock != 0) // less than one transpose block
      next[loop] = rows.rowsWithin(transposed, l1Bytes);
    if (transposed && next[loop] % transposeBlock != 0) {
      why = "no transpose block fits in the cache";
      continue;
    }
    if (next[loop] == sizes[loop]) {
      why = "the cache holds all rows of a task";
      break;
    }
    members = group.operations().size();
    tiles = next;
    if (auto [more, bytes] = rows.nextLarger(next[loop]); bytes > budget) {
      rejected = tiles;
      rejected[loop] = more;
      rejectionReason = "a tile would take " + std::to_string(bytes) + " bytes of " +
                        std::to_string(budget) + " in the cache";
    }
    if (tiles[loop] > 1 || !hasLoopsBetween(dim) || group.bytesOfTile() <= budget)
      break;
  }
}

/// True if the result has a dimension larger than 1 between `dim` and the innermost one.
bool ChainTiler::hasLoopsBetween(unsigned dim) const {
  for (unsigned inner = dim + 1; inner + 1 < result.getNumResults(); ++inner)
    if (sizes[result.getDimPosition(inner)] != 1)
      return true;
  return false;
}

/// Returns the bytes that a tile may take.
int64_t ChainTiler::budgetOf(const FusionGroup &group, bool transposed) const {
  if (reducesVertically(group) && !transposed && !isContiguous(group))
    return l2Bytes;
  return rowStoresOf(group) == RowStores::throughCaches ? l1Bytes / 4 : l1Bytes;
}

/// Returns how the rows of the result are stored while others are read from memory. Where they go
/// through the caches, reads and writes overlap more with fewer rows in a tile.
RowStores ChainTiler::rowStoresOf(const FusionGroup &group) const {
  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  if (type.getRank() <= 1 || type.isDynamicDim(type.getRank() - 1) ||
      !readsFromMemory(group, target))
    return RowStores::cached;
  return storesOfRows(type, type.getShape().back() * bytesOfElement(type), target.cpu());
}

/// Returns rows per tile, as many as the strategy needs that is the cheapest for them.
int64_t ChainTiler::rowsOf(const CacheTileSizes &rows, const FusionGroup &group, int64_t bytes) {
  auto generic = dyn_cast<linalg::GenericOp>(root.getOperation());
  RowStores stores = rowStoresOf(group);
  const VectorizationStrategy *cheapest =
      generic && stores != RowStores::cached
          ? strategyOfRows(generic, target, storesOfMember(group, root, root, target))
          : nullptr;
  int64_t count = 0;
  if (cheapest == &flattenedRows() && stores == RowStores::throughCaches)
    count = rows.flattenedRows();
  else if (cheapest == &fullLines())
    count = rows.alignedLineRows();
  strategyOfTiles = count ? cheapest : nullptr;
  return count ? count : rows.rowsWithin(/*isTransposed=*/false, bytes);
}

/// Few rows from memory that are reduced vertically become tiles of two vectors of columns, which
/// stay in registers. Returns true if they do.
bool ChainTiler::tileVectors() {
  const int64_t vectors = target.tradeoffs().columnTileVectors,
                minTiles = target.tradeoffs().minUnrolledTiles;
  Type element = getElementTypeOrSelf(root->getResult(0).getType());
  if (result.getNumResults() == 0 || !element.isIntOrFloat())
    return false;
  unsigned loop = columnLoop();
  int64_t lanes = target.getVectorBits() / element.getIntOrFloatBitWidth(),
          columns = vectors * lanes;
  if (tiles[loop] != 0 || sizes[loop] < minTiles * columns)
    return false;
  SmallVector<int64_t> next(tiles);
  next[loop] = columns;
  FusionGroup group = groupOf(next);
  if (!readsFromMemory(group, target) || !reducesVertically(group) || reducesBlocks(group) ||
      !isRowChain(group, /*tilesColumns=*/true) ||
      !fitsInRegisters(group.operations(), group.bytesOfLargestSlice(), target))
    return false;
  tiles = next;
  return true;
}

/// Tiles columns in multiples of 256 bytes where a reduction goes across rows. A tile takes at most
/// three L1 caches, or half of the L2 if its runs are at most a page. If the result is computed
/// from a tensor of its own size, the latter only holds where memory is read in rows that use all
/// sets of the cache; the two smallest tiles may take a quarter of the L2.
void ChainTiler::tileColumns() {
  const int64_t minTileBits = 8 * target.tradeoffs().minColumnTileBytes,
                pageBits = 8 * target.cpu().pageBytes,
                minReaders = target.tradeoffs().minTileReaders;
  Type element = getElementTypeOrSelf(root->getResult(0).getType());
  if (result.getNumResults() == 0 || !element.isIntOrFloat())
    return;
  unsigned loop = columnLoop();
  int64_t unit = std::max<int64_t>(1, minTileBits / element.getIntOrFloatBitWidth());
  SmallVector<int64_t> next(tiles);
  next[loop] = unit;
  FusionGroup smallest = groupOf(next);
  int64_t elements = greatestElementsOf(root->getResult(0));
  bool hasIntermediate =
      root.getNumReductionLoops() == 0 && llvm::any_of(root.getDpsInputs(), [&](Value input) {
        Operation *producer = input.getDefiningOp();
        return producer && smallest.contains(producer) && greatestElementsOf(input) == elements;
      });
  int64_t all = groupOf(tiles).bytesOfTile(), threeL1 = 6 * l1Bytes,
          budget = hasIntermediate && !readsRowsOfAllSets(smallest, target) ? threeL1 : 2 * l2Bytes;
  if (all <= (hasIntermediate ? budget : l2Bytes))
    return;
  // Tiles that do not divide the columns need several readers to pay for the remainder's code.
  if (sizes[loop] <= unit ||
      (sizes[loop] % unit != 0 && countReaders(smallest, elements) < minReaders) ||
      !reducesVertically(smallest) || reducesBlocks(smallest) ||
      !isRowChain(smallest, /*tilesColumns=*/true) || smallest.bytesOfTile() > 4 * l2Bytes)
    return;
  auto fits = [&](int64_t tile) {
    next[loop] = tile;
    int64_t bytes = groupOf(next).bytesOfTile();
    bool isShort = tile * element.getIntOrFloatBitWidth() <= pageBits;
    return bytes <= threeL1 || (isShort && bytes <= budget) ||
           (tile <= 2 * unit && bytes <= l2Bytes);
  };
  int64_t tile = sizes[loop] / unit * unit;
  while (tile > unit && !fits(tile))
    tile -= unit;
  bool isEven = sizes[loop] % unit == 0;
  if (tile == sizes[loop] || (tile == unit && !isEven && !fits(unit)))
    return;
  // Equal tiles need no remainder code.
  while (isEven && sizes[loop] % tile != 0)
    tile -= unit;
  tiles[loop] = tile;
}

} // namespace kgen
