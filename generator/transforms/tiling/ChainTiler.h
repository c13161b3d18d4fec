// Cache tiles of a chain that reads the same rows several times.
#pragma once

#include "dialect/kgen/LoweringConfig.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/vectorize/VectorizationStrategy.h"

namespace kgen {

/// Chooses the tile sizes of one chain.
class ChainTiler {
public:
  /// `excluded` operations stay outside, see FusionGroup.
  ChainTiler(mlir::linalg::LinalgOp root, llvm::ArrayRef<mlir::Operation *> excluded,
             TargetAttr target);

  void choose();
  bool isTiled() const { return !isUntiled(tiles); }
  bool isInRegisters() const { return inRegisters; }
  /// The strategy that tiles of rows have as many rows for; null: any.
  const VectorizationStrategy *strategy() const { return strategyOfTiles; }
  /// Of a tiled chain: tiles of more rows, and why they were not taken; empty: not weighed.
  llvm::ArrayRef<int64_t> rejectedTiles() const { return rejected; }
  const std::string &whyRejected() const { return rejectionReason; }
  /// Returns why a chain was not tiled; empty if the operation is no chain.
  llvm::StringRef refusal() const { return why; }
  FusionGroup group() const { return groupOf(tiles); }
  llvm::ArrayRef<int64_t> tileSizes() const { return tiles; }

private:
  FusionGroup groupOf(llvm::ArrayRef<int64_t> tileSizes) const {
    return CacheTileSizes::groupOf(root, tileSizes, excluded);
  }
  void tileRows();
  bool tileVectors();
  void tileColumns();
  bool isTransposed(const FusionGroup &group) const;
  bool hasLoopsBetween(unsigned dim) const;
  RowStores rowStoresOf(const FusionGroup &group) const;
  int64_t budgetOf(const FusionGroup &group, bool transposed) const;
  int64_t rowsOf(const CacheTileSizes &rows, const FusionGroup &group, int64_t bytes);
  unsigned columnLoop() const { return result.getDimPosition(result.getNumResults() - 1); }

  mlir::linalg::LinalgOp root;
  mlir::AffineMap result;
  llvm::SmallVector<int64_t> sizes;
  llvm::ArrayRef<mlir::Operation *> excluded;
  TargetAttr target;
  int64_t l1Bytes, l2Bytes; ///< of a tile: half of the L1, a quarter of the L2
  llvm::SmallVector<int64_t> tiles;
  bool inRegisters = false;
  const VectorizationStrategy *strategyOfTiles = nullptr;
  llvm::StringRef why;
  llvm::SmallVector<int64_t> rejected;
  std::string rejectionReason;
};

} // namespace kgen
