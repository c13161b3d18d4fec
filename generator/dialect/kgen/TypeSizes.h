// Sizes of types in bytes.
#pragma once

#include <mlir/IR/Types.h>

namespace kgen {

/// Bytes of a tensor or memref; 0 if its shape is not static or its elements are no numbers.
int64_t bytesOf(mlir::Type type);
/// Bytes of an element of a tensor, vector or memref, or of a scalar; 0 for i1.
int64_t bytesOfElement(mlir::Type type);

} // namespace kgen
