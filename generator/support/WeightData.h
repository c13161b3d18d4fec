// Bytes of weights, and what becomes of them.
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kgen {

/// A weight's bytes, little endian and row-major, exactly as many as its type has.
using WeightData = std::shared_ptr<const std::vector<char>>;

/// A matrix of f32 that becomes integers with a scale for each block when the library is generated.
struct BlockQuantization {
  int64_t bits = 8, block = 32;
  Location where;
};

} // namespace kgen
