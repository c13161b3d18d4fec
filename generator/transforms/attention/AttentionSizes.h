// The sizes of kgen.attention's dimensions: numbers, or values that are known at run time.
#pragma once

#include "analysis/SizeBounds.h"
#include "dialect/kgen/Kgen.h"

namespace kgen {

class AttentionSizes {
public:
  explicit AttentionSizes(AttentionOp op);

  bool isDynamic(unsigned dimension) const {
    return mlir::ShapedType::isDynamic(numbers[dimension]);
  }
  bool areStatic() const { return llvm::none_of(numbers, mlir::ShapedType::isDynamic); }
  /// True if each dynamic size has bounds.
  bool areBounded() const { return !llvm::is_contained(greatest, mlir::ShapedType::kDynamic); }
  int64_t greatestOf(unsigned dimension) const { return greatest[dimension]; }
  int64_t leastOf(unsigned dimension) const { return least[dimension]; }
  /// A size as a number or a value.
  mlir::OpFoldResult value(mlir::OpBuilder &b, unsigned dimension) const;

private:
  mlir::Location loc;
  llvm::SmallVector<int64_t> numbers, least, greatest;
  /// An operand that has the dimension, and its position there.
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> operands;
};

} // namespace kgen
