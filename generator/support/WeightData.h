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
  bool f16Scales = false; ///< scales are rounded to f16, else f32
  SourceLoc where;
};

/// The most values of a row with one scale: sums of their products with 8 bits are exact in f32.
constexpr int64_t maxRowBlock = 256;

/// Rows that are multiplied by such integers become integers themselves when the function is
/// called.
struct RowQuantization {
  int64_t block = 32; ///< values with one scale; 0: rows stay as they are
  SourceLoc where;
};

} // namespace kgen
