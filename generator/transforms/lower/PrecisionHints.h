// Analyses of values that are rounded to 16 bits, before functions are expanded.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// True for functions with a mark kgen.result_precision that have a low-precision form.
bool isLowPrecisionFunction(mlir::Operation *op);

/// Marks roundings of values that depend on such a function: ties may be rounded away from 0.
void markTies(mlir::Operation *module);

/// Sets kgen.canonical_nans on roundings to bf16 of values that are computed from bf16 and
/// constants only.
void markCanonicalNans(mlir::Operation *module);

/// Contracts sums and differences with products, both marked `contract`, to fused multiply-adds.
/// LLVM would do so, too, but not across stages of a pipelined loop.
void fuseProducts(mlir::Operation *module);

} // namespace kgen
