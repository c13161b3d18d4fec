// The maximum size of tensors: larger than the memory of any machine, and small enough that byte
// counts never overflow an int64_t.
#pragma once

#include "support/TensorType.h"

namespace kgen {

constexpr size_t maxRank = 16;
constexpr int64_t maxTensorBytes = int64_t(1) << 40;

/// Returns the bytes of the tensor, the greatest number of them where sizes are symbolic, or
/// nothing if they exceed `limit`, or a size may be negative. The product of all dimensions that
/// are not 0 must not exceed the limit, even if another dimension is 0, because strides are
/// products of dimensions.
std::optional<int64_t> boundedByteCount(const TensorType &type, int64_t limit);

} // namespace kgen
