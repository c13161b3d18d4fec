// Bytes that a body makes of integers, several vectors at a time.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <optional>

namespace kgen {

/// The last steps of a body whose results are the low bytes of i32 between two bounds. Four
/// vectors of them become one vector of bytes by three instructions, which keep the bounds of the
/// bytes' type by themselves.
class PackedBytes {
public:
  static constexpr int64_t vectors = 4; ///< that are packed together

  /// Returns nothing if the body computes something else, or if the target packs nothing.
  static std::optional<PackedBytes> match(mlir::Block &body, TargetAttr target);

  /// The operation whose results are packed, and what it makes bytes of, without bounds and
  /// without an offset.
  mlir::Operation *narrowing() const { return result; }
  mlir::Value number() const { return unbounded; }
  /// True if four vectors of so many numbers are better packed together than narrowed one by one.
  static bool packs(int64_t width);

  /// The bytes of one vector of numbers.
  mlir::Value narrow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value numbers) const;
  /// Words of two vectors of numbers: each 128 bits have those of the same 128 bits of both.
  mlir::Value words(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y) const;
  /// The bytes of twice two vectors, in the same order.
  mlir::Value pack(mlir::OpBuilder &b, mlir::Location loc, mlir::Value words,
                   mlir::Value more) const;
  /// Like pack, of one to four vectors of numbers; those that are missing are like the last one.
  mlir::Value packAll(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::ArrayRef<mlir::Value> numbers) const;
  /// The bytes of the four vectors that were packed, one vector after the other.
  static mlir::Value inOrder(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bytes);
  /// Like inOrder, but each vector by itself.
  static mlir::SmallVector<mlir::Value> unpacked(mlir::OpBuilder &b, mlir::Location loc,
                                                 mlir::Value bytes);

private:
  void takeOffset();
  mlir::Value bounded(mlir::OpBuilder &b, mlir::Location loc, mlir::Value numbers, int64_t least,
                      int64_t greatest) const;

  mlir::arith::TruncIOp result;
  mlir::Value unbounded;
  int64_t low = 0, high = 0, offset = 0;
};

/// Drops that the addition does not wrap around, if the operation is one. Because of it, LLVM would
/// add after the bounds that follow, and not see any more that these saturate bytes.
void dropOverflowFlags(mlir::Operation *op);

} // namespace kgen
