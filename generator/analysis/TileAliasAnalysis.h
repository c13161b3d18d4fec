// Alias analysis of tiles: views of buffers with static strides.
#pragma once

#include <mlir/Analysis/AliasAnalysis.h>
#include <mlir/IR/Value.h>

namespace kgen {

class TileAliasAnalysis {
public:
  explicit TileAliasAnalysis(mlir::Operation *op) : analysis(op) {}

  /// True only if both are proven to be the same elements in the same order.
  bool isSame(mlir::Value x, mlir::Value y);
  /// False only if it is proven that no byte is in both.
  bool mayOverlap(mlir::Value x, mlir::Value y);
  /// True only if it is proven that an element is in both.
  bool mustOverlap(mlir::Value x, mlir::Value y);

  /// False only if the operation, with all that is in it, is proven not to access the tile so.
  bool mayWrite(mlir::Operation *op, mlir::Value tile) { return mayAccess(op, tile, true); }
  bool mayReadOrWrite(mlir::Operation *op, mlir::Value tile) { return mayAccess(op, tile, false); }

  /// The buffer that a view is of.
  static mlir::Value rootOf(mlir::Value view);
  /// Bytes from the beginning of the root's memory to the end of the tile and of `further` elements
  /// after it; nothing if that is not known.
  static std::optional<int64_t> endInRoot(mlir::Value tile, int64_t further);

private:
  bool mayAccess(mlir::Operation *op, mlir::Value tile, bool writesOnly);
  bool areDistinctRoots(mlir::Value x, mlir::Value y);

  mlir::AliasAnalysis analysis;
};

} // namespace kgen
