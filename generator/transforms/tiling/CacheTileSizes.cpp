#include "transforms/tiling/CacheTileSizes.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/UnrolledTiles.h"

using namespace mlir;

namespace kgen {

CacheTileSizes::CacheTileSizes(linalg::LinalgOp root, ArrayRef<int64_t> tiles, unsigned loop,
                               ArrayRef<Operation *> excluded, TargetAttr target)
    : root(root), type(cast<RankedTensorType>(root->getResult(0).getType())), tiles(tiles),
      loop(loop), excluded(excluded), target(target), size(loopSizes(root)[loop]),
      cacheBytes(capacity(target.cpu(), Cache::l1, Share::half)) {}

FusionGroup CacheTileSizes::groupOf(int64_t rows) const {
  SmallVector<int64_t> own(tiles);
  own[loop] = rows;
  return groupOf(root, own, excluded);
}

bool CacheTileSizes::fitInRegisters() const {
  if (size <= transposeBlock)
    return false;
  FusionGroup group = groupOf(transposeBlock);
  return fitsInRegisters(group.operations(), group.bytesOfLargestSlice(), target);
}

int64_t CacheTileSizes::rowsWithin(bool isTransposed, int64_t bytes) const {
  auto fits = [&](int64_t rows) { return bytesOf(rows) <= bytes; };
  int64_t inBlocks = largestDivisor(transposeBlock, fits);
  if (isTransposed)
    return largestTransposed(inBlocks, fits);
  int64_t largest = largestDivisor(1, fits);
  return inBlocks % transposeBlock == 0 && 4 * inBlocks >= largest ? inBlocks : largest;
}

std::pair<int64_t, int64_t> CacheTileSizes::nextLarger(int64_t rows) const {
  do
    ++rows;
  while (rows < size && size % rows != 0);
  return {rows, bytesOf(rows)};
}

int64_t CacheTileSizes::flattenedRows() const {
  auto fits = [&](int64_t rows) { return bytesOf(rows) <= cacheBytes / 2; };
  int64_t rows = largestTransposed(largestDivisor(transposeBlock, fits), fits);
  if (rows % transposeBlock == 0)
    return rows;
  // The result is written by non-temporal stores: only the operands take cache.
  if (size > transposeBlock && bytesOf(transposeBlock) <= 2 * cacheBytes)
    return transposeBlock;
  int64_t unit = rowsToLineBoundary(type, target.cpu());
  rows = largestDivisor(unit, [&](int64_t count) { return bytesOf(count) <= cacheBytes; });
  if (rows % unit == 0)
    return rows;
  return largestDivisor(1, [&](int64_t count) { return bytesOf(count) <= cacheBytes / 4; });
}

int64_t CacheTileSizes::alignedLineRows() const {
  int64_t unit = rowsToLineBoundary(type, target.cpu()),
          maxBytes = type.getElementTypeBitWidth() < 32 ? 2 * cacheBytes : cacheBytes;
  if (size <= unit || bytesOf(unit) > maxBytes)
    return 0;
  auto fits = [&](int64_t rows) { return rows == unit || bytesOf(rows) <= cacheBytes / 2; };
  int64_t rows = largestDivisor(unit, fits), units = size / unit;
  if (rows % unit == 0)
    return rows;
  while (!fits(units * unit))
    units /= 2;
  return units * unit;
}

/// Returns the largest multiple of `unit` that divides the number of rows and whose tile fits; 1
/// if there is none.
int64_t CacheTileSizes::largestDivisor(int64_t unit, Fits fits) const {
  for (int64_t rows = size / unit * unit; rows > 1; rows -= unit)
    if (size % rows == 0 && fits(rows))
      return rows;
  return 1;
}

/// Returns the largest multiple of `transposeBlock` rows whose tile fits, whether or not it
/// divides the rows, if that is more than twice `divisor`; otherwise `divisor`. A remainder tile
/// doubles the code, so it has to save at least half of the iterations.
int64_t CacheTileSizes::largestTransposed(int64_t divisor, Fits fits) const {
  int64_t blocks = 0, tooManyBlocks = size / transposeBlock + 1;
  while (tooManyBlocks - blocks > 1) {
    int64_t middle = (blocks + tooManyBlocks) / 2;
    (fits(middle * transposeBlock) ? blocks : tooManyBlocks) = middle;
  }
  return blocks * transposeBlock > 2 * divisor ? blocks * transposeBlock : divisor;
}

} // namespace kgen
