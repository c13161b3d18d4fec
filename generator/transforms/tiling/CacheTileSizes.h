// Cache tile sizes: rows per tile of a fused row chain.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/FusionGroup.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// Elements of the longest row that is transposed: one transpose block; longer rows fill vectors.
constexpr int64_t maxTransposedRow = 16;
constexpr int64_t transposeBlock = 16; ///< rows that are transposed at a time: lanes of 512 bits

/// Chooses rows per tile along one loop of the last operation of a chain.
class CacheTileSizes {
public:
  /// `tiles`: tile sizes of the other loops of `root`, see FusionGroup. `excluded` operations stay
  /// outside.
  CacheTileSizes(mlir::linalg::LinalgOp root, llvm::ArrayRef<int64_t> tiles, unsigned loop,
                 llvm::ArrayRef<mlir::Operation *> excluded, TargetAttr target);

  /// The fusion group of `root`. A reduction over rows that other operations read, too, joins the
  /// group.
  static FusionGroup groupOf(mlir::Operation *root, llvm::ArrayRef<int64_t> tiles,
                             llvm::ArrayRef<mlir::Operation *> excluded) {
    return {root, tiles, excluded, FusionGroup::SharedProducers::reductions};
  }

  /// True if the loop has more rows than one transpose block, and if a transpose block of the
  /// group's operands fits in registers.
  bool fitInRegisters() const;

  /// Returns rows per tile so that the tile takes at most `bytes` bytes. Row reductions are
  /// vectorized over `transposeBlock` rows together: a multiple of these is preferred if it is at
  /// least a quarter of the largest possible tile. Transposed rows only come in multiples, with a
  /// smaller last tile if need be.
  int64_t rowsWithin(bool isTransposed, int64_t bytes) const;

  /// The least number of rows that divides all of them and is more than `rows`, and the bytes of
  /// such a tile.
  std::pair<int64_t, int64_t> nextLarger(int64_t rows) const;

  /// Returns rows per tile for a result that is written as flattened rows with non-temporal stores:
  /// a multiple of the rows that are reduced together, or else of those that end at a cache line
  /// boundary.
  int64_t flattenedRows() const;

  /// Returns rows per tile that begin and end at a cache line boundary, for kgen-vectorize's
  /// full-line stores; 0 if there are none.
  int64_t alignedLineRows() const;

private:
  using Fits = llvm::function_ref<bool(int64_t)>;

  FusionGroup groupOf(int64_t rows) const;
  int64_t bytesOf(int64_t rows) const { return groupOf(rows).bytesOfTile(); }
  int64_t largestDivisor(int64_t unit, Fits fits) const;
  int64_t largestTransposed(int64_t divisor, Fits fits) const;

  mlir::linalg::LinalgOp root;
  mlir::RankedTensorType type; ///< of the result
  llvm::SmallVector<int64_t> tiles;
  unsigned loop;
  llvm::ArrayRef<mlir::Operation *> excluded;
  TargetAttr target;
  int64_t size;       ///< rows
  int64_t cacheBytes; ///< half of the L1
};

} // namespace kgen
