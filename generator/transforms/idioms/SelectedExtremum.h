// Comparisons and selections that are a maximum or minimum.
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

} // namespace kgen
