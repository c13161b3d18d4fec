// The sizes of an operation's loops: numbers, or values that are known at run time.
#pragma once

#include "analysis/SizeBounds.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

class LoopSizes {
public:
  explicit LoopSizes(mlir::linalg::LinalgOp op);

  size_t size() const { return numbers.size(); }
  bool isDynamic(int64_t loop) const { return mlir::ShapedType::isDynamic(numbers[loop]); }
  bool areStatic() const { return llvm::none_of(numbers, mlir::ShapedType::isDynamic); }
  /// True if each dynamic size is that of an operand's dimension, and bounded.
  bool areKnown() const;

  /// A size that is a number.
  int64_t operator[](int64_t loop) const {
    assert(!isDynamic(loop) && "its number is not known");
    return numbers[loop];
  }
  /// The greatest number that a size may be.
  int64_t greatest(int64_t loop) const;
  llvm::SmallVector<int64_t> greatest() const;
  /// The greatest product of sizes.
  int64_t greatestProduct(llvm::ArrayRef<int64_t> loops) const;
  /// The least number that a size may be.
  int64_t least(int64_t loop) const;
  /// A number that divides a size.
  int64_t divisor(int64_t loop) const;

  /// A size as a number or a value, which is made in front of the operation.
  mlir::OpFoldResult value(mlir::OpBuilder &b, int64_t loop) const;

private:
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<int64_t> numbers;
  llvm::SmallVector<std::optional<SizeBounds>> bounds; ///< of dynamic sizes
};

} // namespace kgen
