// How the provider `amx` divides a kernel: rows into tiles, k into blocks, tile registers among
// operands.
#pragma once

#include "providers/Provider.h"

namespace kgen {

constexpr int64_t tileRows = 16, tileBytes = 64;
/// Sums (of 32 bits), and groups of k beside each other in B, in a row of a register.
constexpr int64_t tileColumns = tileBytes / 4;

/// The rows of a kernel in as few tiles as possible, all of one height, since each row of a tile is
/// a cycle; and those in blocks of two.
struct TileRows {
  explicit TileRows(int64_t m)
      : count(m), tiles(llvm::divideCeil(m, tileRows)), height(llvm::divideCeil(m, tiles)),
        whole(m / (2 * height)), rest(m % (2 * height)) {}

  int64_t blocks() const { return whole + (rest > 0); }
  /// Whether the last block is one tile that computes some rows of the block before once more.
  bool overlaps() const { return whole > 0 && rest > 0 && rest < height; }

  int64_t count, tiles, height;
  int64_t whole, rest; ///< blocks of two whole tiles, and rows behind them
};

/// The passes over all rows of a kernel, each with a block of k.
struct TilePasses {
  TilePasses(ukernel::GemmOp kernel, TargetAttr target);

  int64_t stepK;       ///< values of k in a row of a register
  int64_t steps, rest; ///< whole steps in k, and values behind them
  int64_t count;
  int64_t each, last; ///< steps of all passes but the last one, and of that
};

/// Which tile register holds what: the sums of two times two tiles, then two tiles of B and two of
/// A. Kernels of the same height and width use the same shapes, whatever they leave unused.
class TileRegisters {
public:
  explicit TileRegisters(ukernel::GemmOp kernel)
      : cols(llvm::divideCeil(kernel.getN(), tileColumns)), n(kernel.getN()),
        height(TileRows(kernel.getM()).height) {}

  static int64_t ofSum(int64_t row, int64_t col) { return row * most + col; }
  static int64_t ofB(int64_t col) { return most * most + col; }
  static int64_t ofA(int64_t row) { return most * most + most + row; }

  /// Tiles of columns that there are registers for.
  static constexpr int64_t most = 2;
  /// The shapes of all registers, as ukernel.configure_tiles takes them.
  mlir::ArrayAttr shapes(mlir::Builder &b) const;

  int64_t cols; ///< tiles beside each other

private:
  int64_t widthOf(int64_t col) const { return 4 * std::min(tileColumns, n - col * tileColumns); }

  int64_t n, height;
};

/// Writes the kernel's function.
void buildAmxKernel(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);

} // namespace kgen
