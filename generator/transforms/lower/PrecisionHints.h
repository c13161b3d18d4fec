// What is known of numbers that are rounded to 16 bits while functions are still operations.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// Whether a function is one whose marked ones are off by a few hundredths of a digit.
bool isLowPrecisionFunction(mlir::Operation *op);

/// Marks roundings of what such a function goes into: a tie is an accident.
void markTies(mlir::Operation *module);

/// Marks roundings to bf16 of what is made of bf16 and of numbers alone: a NaN then has no digits
/// that rounding could carry into its exponent.
void markCanonicalNans(mlir::Operation *module);

/// Makes fused multiply-adds of sums and differences with products that need not be rounded before
/// them: LLVM would see no product where a loop's steps overlap between the two.
void fuseProducts(mlir::Operation *module);

} // namespace kgen
