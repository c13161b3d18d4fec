// Functions whose results are rounded to bf16 or f16, and other marks of functions.
#pragma once

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// The mark of a function that belongs to an operator on bf16 or f16: how many digits its result
/// has in the end, 8 or 11. An error of a few hundredths of the last one hardly shows, even if the
/// rounding itself is left out between two operators.
constexpr llvm::StringLiteral resultPrecisionAttrName = "kgen.result_precision";

/// The mark of a rounding to bf16 of what has no NaN with digits below those of bf16: a half of the
/// last digit that is kept, added to its bits, leaves it a NaN. Of a module: of all floats in it.
constexpr llvm::StringLiteral canonicalNansAttrName = "kgen.canonical_nans";

/// The mark of a math.expm1 whose result is used only where the operand is not positive: of others,
/// it may be anything.
constexpr llvm::StringLiteral nonPositiveAttrName = "kgen.non_positive";

/// Marks an operation if it is a function.
void markResultPrecision(mlir::Operation *op, mlir::FloatType type);

/// Says of the operations in a region that what they compute is off by rounding errors wherever it
/// is rounded to 16 bits: ties are accidents there, and may go away from 0, and products need not
/// be rounded before sums.
void relaxRoundings(mlir::Region &region);

/// What the mark says; 0 without one.
unsigned resultPrecisionDigits(mlir::Operation *op);

} // namespace kgen
