// Which tiles of memory are the same, may overlap, or certainly do.
#pragma once

#include <mlir/Analysis/AliasAnalysis.h>
#include <mlir/IR/Value.h>

namespace kgen {

class TileAliasAnalysis {
public:
  explicit TileAliasAnalysis(mlir::Operation *op) : analysis(op) {}

  /// Whether both are exactly the same elements in the same order.
  bool isSame(mlir::Value x, mlir::Value y);
  /// False only if it is proven that no byte is in both.
  bool mayOverlap(mlir::Value x, mlir::Value y);
  /// True only if it is proven that an element is in both.
  bool mustOverlap(mlir::Value x, mlir::Value y);

  /// What an operation may do to a tile.
  bool mayWrite(mlir::Operation *op, mlir::Value tile) { return mayAccess(op, tile, true); }
  bool mayReadOrWrite(mlir::Operation *op, mlir::Value tile) { return mayAccess(op, tile, false); }

  /// The buffer that a view is part of.
  static mlir::Value rootOf(mlir::Value view);
  /// Elements from the beginning of the root's memory to the end of the tile, if that is known,
  /// when `further` elements follow the tile.
  static std::optional<int64_t> endInRoot(mlir::Value tile, int64_t further);

private:
  bool mayAccess(mlir::Operation *op, mlir::Value tile, bool writesOnly);
  bool areDistinctRoots(mlir::Value x, mlir::Value y);

  mlir::AliasAnalysis analysis;
};

} // namespace kgen
