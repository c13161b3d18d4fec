// How many rows of a loop are worked on together.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/FusionGroup.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

constexpr int64_t maxTransposedRow = 16; ///< elements, see kgen-transpose-inner-reductions
constexpr int64_t square = 16;           ///< rows, and elements of them, that are turned at a time

/// Blocks of rows along a loop of the last operation of a chain.
class CacheTileSizes {
public:
  /// `tiles`: sizes for the other loops of `anchor`, see FusionGroup.
  CacheTileSizes(mlir::linalg::LinalgOp anchor, llvm::ArrayRef<int64_t> tiles, unsigned loop,
                 llvm::ArrayRef<mlir::Operation *> apart, TargetAttr target);

  /// What is cut with `anchor`. Sums of rows that are read by others, too, are kept.
  static FusionGroup groupOf(mlir::Operation *anchor, llvm::ArrayRef<int64_t> tiles,
                             llvm::ArrayRef<mlir::Operation *> apart) {
    return {anchor, tiles, apart, FusionGroup::Shared::reductions};
  }

  /// Whether there are more rows than are turned at a time, which need no more than registers.
  bool fitInRegisters() const;

  /// As many rows as there are bytes for; a multiple of those that are reduced together, if that is
  /// at least a quarter of them. Of those that are turned, always; if need be, fewer in the last
  /// block.
  int64_t rowsWithin(bool areTurned, int64_t bytes) const;

  /// Rows of a block that is written from row to row, past the caches: as many as are reduced
  /// together, or such as begin and end with a line.
  int64_t flattenedRows() const;

  /// The same where lines are not the same for all rows; 0 if that is not possible.
  int64_t alignedLineRows() const;

private:
  using HasRoom = llvm::function_ref<bool(int64_t)>;

  FusionGroup groupOf(int64_t rows) const;
  int64_t bytesOf(int64_t rows) const { return groupOf(rows).bytesOfTile(); }
  int64_t largestDivisor(int64_t unit, HasRoom hasRoom) const;
  int64_t largestTransposed(int64_t divisor, HasRoom hasRoom) const;

  mlir::linalg::LinalgOp anchor;
  mlir::RankedTensorType type; ///< of the result
  llvm::SmallVector<int64_t> tiles;
  unsigned loop;
  llvm::ArrayRef<mlir::Operation *> apart;
  TargetAttr target;
  int64_t size;  ///< rows
  int64_t cache; ///< bytes of the first one for a block
};

} // namespace kgen
