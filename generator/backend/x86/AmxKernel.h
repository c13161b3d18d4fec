// The partition of an AMX kernel: rows into AMX tiles, k into passes, and the allocation of tile
// registers.
#pragma once

#include "providers/Provider.h"

namespace kgen {

constexpr int64_t tileRows = 16, tileBytes = 64;
/// Sums (32 bits) in a row of a tile register.
constexpr int64_t tileColumns = tileBytes / 4;

/// The rows of a kernel in as few AMX tiles as possible, of equal height, as each row of a tile
/// takes a cycle; tiles are processed in blocks of two.
struct TileRows {
  explicit TileRows(int64_t m)
      : count(m), tiles(llvm::divideCeil(m, tileRows)), height(llvm::divideCeil(m, tiles)),
        whole(m / (2 * height)), rest(m % (2 * height)) {}

  int64_t blocks() const { return whole + (rest > 0); }
  /// True if the last block is one tile that overlaps the block before it.
  bool overlaps() const { return whole > 0 && rest > 0 && rest < height; }

  int64_t count, tiles, height;
  int64_t whole, rest; ///< blocks of two full tiles, and rows after them
};

/// The passes over all rows of a kernel, one for each block of k.
struct TilePasses {
  TilePasses(ukernel::GemmOp kernel, TargetAttr target);

  int64_t stepK;       ///< values of k in a row of a tile register
  int64_t steps, rest; ///< full steps in k, and values after them
  int64_t count;
  int64_t each, last; ///< steps of each pass but the last one, and of the last one
};

/// The allocation of tile registers: 2 x 2 tiles of sums, then two tiles of B and two of A. Kernels
/// of equal height and width use equal shapes, also for registers that they do not use.
class TileRegisters {
public:
  explicit TileRegisters(ukernel::GemmOp kernel)
      : cols(llvm::divideCeil(kernel.getN(), tileColumns)), n(kernel.getN()),
        height(TileRows(kernel.getM()).height) {}

  static int64_t registerOfSum(int64_t row, int64_t col) { return row * maxCols + col; }
  static int64_t registerOfB(int64_t col) { return maxCols * maxCols + col; }
  static int64_t registerOfA(int64_t row) { return maxCols * maxCols + maxCols + row; }

  /// The maximum number of tiles side by side: there are eight registers.
  static constexpr int64_t maxCols = 2;
  /// Rows and bytes of all registers, for ukernel.configure_tiles.
  mlir::ArrayAttr shapes(mlir::Builder &b) const;

  int64_t cols; ///< tiles side by side

private:
  int64_t widthOf(int64_t col) const { return 4 * std::min(tileColumns, n - col * tileColumns); }

  int64_t n, height;
};

/// Builds the kernel's function.
void buildAmxKernel(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);

} // namespace kgen
