// Sizes of types in bytes.
#pragma once

#include <mlir/IR/Types.h>

#include <cstdint>
#include <limits>

namespace kgen {

/// Products of two bytes, whatever their signs, whose sum fits in 32 bits.
constexpr int64_t maxByteProducts = std::numeric_limits<int32_t>::max() / (255 * 255);

/// Bytes of a tensor or memref; 0 if its shape is not static or its elements are no numbers.
int64_t bytesOf(mlir::Type type);
/// Bytes of an element of a tensor, vector or memref, or of a scalar; 0 for i1.
int64_t bytesOfElement(mlir::Type type);

} // namespace kgen
