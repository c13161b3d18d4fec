// Functions whose results are rounded to bf16 or f16.
#pragma once

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// The mark of a function that belongs to an operator on bf16 or f16: how many digits its result
/// has in the end, 8 or 11. An error of a few hundredths of the last one hardly shows, even if the
/// rounding itself is left out between two operators.
constexpr llvm::StringLiteral roundedAttrName = "kgen.rounded";

/// Marks an operation if it is a function.
void markRounded(mlir::Operation *op, mlir::FloatType type);

/// What the mark says; 0 without one.
unsigned roundedDigits(mlir::Operation *op);

} // namespace kgen
