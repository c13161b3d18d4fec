// Precision hints: discardable attributes on mathematical functions and roundings.
#pragma once

#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// On a function of an operator on bf16 or f16 (an integer): the significant bits of the operator's
/// result, 8 or 11. The function may be off by a few hundredths of a unit in that last place, also
/// if kgen-fuse-epilogues removes the rounding itself between two operators. On an arith.truncf
/// (a unit): ties may be rounded away from 0.
constexpr llvm::StringLiteral resultPrecisionAttrName = "kgen.result_precision";

/// On a rounding to bf16 (a unit): each NaN among the operands has zeros in the 16 bits that are
/// dropped, so adding half a unit in the last place to its bits leaves it a NaN. On a module: this
/// holds for all roundings in it.
constexpr llvm::StringLiteral canonicalNansAttrName = "kgen.canonical_nans";

/// On a math.expm1 or kgen.exp_or_zero (a unit): its result is used only if the operand is not
/// positive, and may be anything otherwise.
constexpr llvm::StringLiteral nonPositiveAttrName = "kgen.non_positive";

/// On a quotient (a unit): the divisor and its inverse are normal, and the dividend is at most the
/// divisor, or one of them is a NaN. It may be a product with the inverse in two parts.
constexpr llvm::StringLiteral normalQuotientAttrName = "kgen.normal_quotient";

/// Sets kgen.result_precision to the significant bits of `type` if `op` is a mathematical function.
void markResultPrecision(mlir::Operation *op, mlir::FloatType type);

/// Sets kgen.result_precision to the significant bits of `type`, whatever `op` is.
void setResultPrecision(mlir::Operation *op, mlir::FloatType type);

/// Gives the mathematical functions of an operation's bodies a kgen.result_precision, if there is
/// one.
void setResultPrecisionOfFunctions(mlir::Operation *op, mlir::IntegerAttr precision);

/// For a region whose values carry rounding errors: roundings to 16 bits may round ties away from
/// 0, and products may be contracted with sums to fused multiply-adds.
void relaxRoundings(mlir::Region &region);

/// The significant bits in kgen.result_precision; 0 without the attribute.
unsigned resultPrecisionBits(mlir::Operation *op);

} // namespace kgen
