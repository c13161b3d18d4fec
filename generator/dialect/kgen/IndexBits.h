// The width of `index` on a target.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// Bits of a size and of an address (size_t of C) on the target of the module around `op`: 64 if
/// there is none.
unsigned indexBits(mlir::Operation *op);

/// Bits of a size and of an address on the CPUs of a triple.
unsigned indexBitsOf(llvm::StringRef triple);

} // namespace kgen
