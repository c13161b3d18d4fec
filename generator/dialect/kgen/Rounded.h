// Functions whose results are rounded to bf16 or f16.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// The mark of a function that belongs to an operator on bf16 or f16. Its result has at most 11
/// digits in the end, so that an error of 2^-16 of its size hardly shows, even if the rounding
/// itself is left out between two operators.
constexpr llvm::StringLiteral roundedAttrName = "kgen.rounded";

/// Marks an operation if it is a function.
void markRounded(mlir::Operation *op);

} // namespace kgen
