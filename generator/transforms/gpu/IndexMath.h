// Arithmetic on indices that folds constants as it goes.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>

namespace kgen::gpu_kernels {

/// Builds arithmetic on values of type index, none of which is negative unless it says so.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value constant(int64_t value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value add(mlir::Value x, int64_t y) const;
  mlir::Value times(mlir::Value x, int64_t factor) const;
  mlir::Value dividedBy(mlir::Value x, int64_t divisor) const;
  mlir::Value modulo(mlir::Value x, int64_t divisor) const;
  mlir::Value isBelow(mlir::Value x, int64_t bound) const; ///< without a sign
  mlir::Value both(mlir::Value x, mlir::Value y) const;    ///< either may be null: true
  /// `x` where the condition holds, else 0; a null condition holds.
  mlir::Value orZero(mlir::Value condition, mlir::Value x) const;

  mlir::OpBuilder &b;
  const mlir::Location loc;
};

/// A sum of multiples of loop indices, and a constant.
struct LinearForm {
  llvm::SmallVector<int64_t> factors; ///< one for each loop
  int64_t constant = 0;
};

/// Returns nothing for an expression that has quotients or remainders.
std::optional<LinearForm> linearFormOf(mlir::AffineExpr expression, unsigned loops);
/// Those of all results; nothing if one of them has none.
std::optional<llvm::SmallVector<LinearForm>> linearFormsOf(mlir::AffineMap map);

/// Several loops, counted as one, the last one fastest.
class FlatLoops {
public:
  FlatLoops(llvm::ArrayRef<unsigned> loops, llvm::ArrayRef<int64_t> allSizes);

  int64_t count() const { return points; }
  /// The sum of factors times indices of these loops at a point, without the form's constant.
  mlir::Value dot(const IndexMath &m, mlir::Value point, const LinearForm &form) const;
  /// The index of each loop at a point, written to `indices`, which has all loops.
  void split(const IndexMath &m, mlir::Value point,
             llvm::MutableArrayRef<mlir::Value> indices) const;
  /// The factor of the last loop that has more than one iteration; 0 if there is none.
  int64_t innerFactor(const LinearForm &form) const;
  /// Points from the beginning of which on the form grows by its inner factor each.
  int64_t innerRun(const LinearForm &form) const;
  /// True if the form's factors are multiples of `divisor`; with `beyondRun`, those of loops around
  /// its inner run.
  bool areMultiples(const LinearForm &form, int64_t divisor, bool beyondRun) const;

private:
  llvm::SmallVector<unsigned> loops; ///< those of more than one iteration
  llvm::SmallVector<unsigned> single;
  llvm::SmallVector<int64_t> sizes;
  int64_t points = 1;
};

} // namespace kgen::gpu_kernels
