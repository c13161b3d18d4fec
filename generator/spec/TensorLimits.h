// How large tensors may be: beyond any machine's memory, and small enough that byte counts never
// overflow.
#pragma once

#include "support/TensorType.h"

namespace kgen {

constexpr size_t maxRank = 16;
constexpr int64_t maxTensorBytes = int64_t(1) << 40;

/// Bytes of the tensor, or nothing if there would be more than `limit`. Dimensions that are not 0
/// must keep to the limit even if another one is 0: strides are products of them.
std::optional<int64_t> boundedByteCount(const TensorType &type, int64_t limit);

} // namespace kgen
