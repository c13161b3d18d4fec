#include "transforms/tiling/CacheTileSizes.h"

#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/UnrolledTiles.h"

using namespace mlir;

namespace kgen {

CacheTileSizes::CacheTileSizes(linalg::LinalgOp anchor, ArrayRef<int64_t> tiles, unsigned loop,
                               ArrayRef<Operation *> apart, TargetAttr target)
    : anchor(anchor), type(cast<RankedTensorType>(anchor->getResult(0).getType())), tiles(tiles),
      loop(loop), apart(apart), target(target), size(anchor.getStaticLoopRanges()[loop]),
      cache(target.getL1d() / 2) {}

FusionGroup CacheTileSizes::groupOf(int64_t rows) const {
  SmallVector<int64_t> own(tiles);
  own[loop] = rows;
  return groupOf(anchor, own, apart);
}

bool CacheTileSizes::fitInRegisters() const {
  if (size <= square)
    return false;
  FusionGroup group = groupOf(square);
  return fitsInRegisters(group.operations(), group.bytesOfLargest(), target);
}

int64_t CacheTileSizes::rowsWithin(bool areTurned, int64_t bytes) const {
  auto hasRoom = [&](int64_t rows) { return bytesOf(rows) <= bytes; };
  int64_t together = largestDivisor(square, hasRoom);
  if (areTurned)
    return largestTransposed(together, hasRoom);
  int64_t most = largestDivisor(1, hasRoom);
  return together % square == 0 && 4 * together >= most ? together : most;
}

int64_t CacheTileSizes::flattenedRows() const {
  auto hasRoom = [&](int64_t rows) { return bytesOf(rows) <= cache / 2; };
  int64_t rows = largestTransposed(largestDivisor(square, hasRoom), hasRoom);
  if (rows % square == 0)
    return rows;
  // Without the result, which does not stay.
  if (size > square && bytesOf(square) <= 2 * cache)
    return square;
  int64_t unit = rowsToLineBoundary(type);
  rows = largestDivisor(unit, [&](int64_t more) { return bytesOf(more) <= cache; });
  if (rows % unit == 0)
    return rows;
  return largestDivisor(1, [&](int64_t few) { return bytesOf(few) <= cache / 4; });
}

int64_t CacheTileSizes::alignedLineRows() const {
  int64_t unit = rowsToLineBoundary(type),
          most = type.getElementTypeBitWidth() < 32 ? 2 * cache : cache;
  if (size <= unit || bytesOf(unit) > most)
    return 0;
  auto hasRoom = [&](int64_t rows) { return rows == unit || bytesOf(rows) <= cache / 2; };
  int64_t rows = largestDivisor(unit, hasRoom), units = size / unit;
  if (rows % unit == 0)
    return rows;
  while (!hasRoom(units * unit))
    units /= 2;
  return units * unit;
}

/// The largest multiple of a unit that divides the number of rows and has room; or one.
int64_t CacheTileSizes::largestDivisor(int64_t unit, HasRoom hasRoom) const {
  for (int64_t rows = size / unit * unit; rows > 1; rows -= unit)
    if (size % rows == 0 && hasRoom(rows))
      return rows;
  return 1;
}

/// The largest multiple of those that are turned at a time that has room, if it is more than twice
/// the largest divisor: what is left of all rows then is as much code again.
int64_t CacheTileSizes::largestTransposed(int64_t divisor, HasRoom hasRoom) const {
  int64_t squares = 0, tooMany = size / square + 1;
  while (tooMany - squares > 1) {
    int64_t middle = (squares + tooMany) / 2;
    (hasRoom(middle * square) ? squares : tooMany) = middle;
  }
  return squares * square > 2 * divisor ? squares * square : divisor;
}

} // namespace kgen
