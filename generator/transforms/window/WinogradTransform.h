// The transforms of Winograd's minimal filtering F(m x m, 3 x 3): m x m results from
// (m + 2) x (m + 2) products instead of 9 m x m.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

/// Y = A^T ((G g G^T) * (B^T d B)) A for tiles of m = 2 or 4, as in A. Lavin, S. Gray, "Fast
/// Algorithms for Convolutional Neural Networks" (2015); the points are 0, 1, -1 (, 2, -2) and
/// infinity.
class WinogradTransform {
public:
  explicit WinogradTransform(int64_t tile) : tile(tile) {}

  /// Elements along a side of an input tile; elements of an input tile, each a product.
  int64_t inputTile() const { return tile + 2; }
  int64_t products() const { return inputTile() * inputTile(); }

  /// B^T d B of an input tile: rows of vectors.
  llvm::SmallVector<mlir::Value> input(mlir::OpBuilder &b, mlir::Location loc,
                                       llvm::ArrayRef<mlir::Value> image) const;
  /// A^T m A: the rows of the output tile.
  llvm::SmallVector<mlir::Value> output(mlir::OpBuilder &b, mlir::Location loc,
                                        llvm::ArrayRef<mlir::Value> products) const;
  /// G g G^T for `count` filters side by side: from [3, 3, count] to [products, count]. Computed in
  /// double, rounded once.
  void filters(llvm::ArrayRef<float> taps, int64_t count,
               llvm::MutableArrayRef<float> result) const;

  /// Vector operations to transform a tile: those of a 1-D transform times the rows and columns.
  int64_t inputOperations() const { return 2 * inputTile() * (tile == 2 ? 4 : 12); }
  int64_t outputOperations() const { return (inputTile() + tile) * (tile == 2 ? 4 : 10); }

private:
  int64_t tile;
};

} // namespace kgen
