// Maxima and minima of a number and a constant, as operations or as comparisons and selections.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <optional>

namespace kgen {

/// select(compare(a, b), a, b) or select(compare(a, b), b, a): a maximum or minimum of `x` and a
/// constant.
struct SelectedExtremum {
  mlir::Value x, constant; ///< null: neither a nor b is a constant
  llvm::APFloat number;    ///< of the constant, which may be a NaN
  bool isMax;
  bool xIfEqual, xIfNan; ///< the result is x if it equals the constant; if it is a NaN
};

/// Nothing if the selection is not between the two values that are compared, or their comparison is
/// not an order.
std::optional<SelectedExtremum> selectedExtremum(mlir::arith::SelectOp select);

/// A maximum or minimum of x and a constant that is not a NaN, as an operation or as a selection;
/// zeros may be exchanged.
struct FloatBound {
  bool isMax;
  mlir::Value x, constant;
  llvm::APFloat number; ///< of the constant
  bool replacesNan;     ///< the result for a NaN x is the constant rather than the NaN
};

/// Returns nothing if the value is computed in another way.
std::optional<FloatBound> floatBound(mlir::Value value);

} // namespace kgen
