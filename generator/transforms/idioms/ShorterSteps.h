// Fewer operations with the same results.
#pragma once

#include "transforms/idioms/QuantizedInteger.h"

namespace kgen {

/// Returns the same function in other steps; nothing if none were found. What the steps between the
/// sum and the rounding compute is, in this order,
///
/// - one multiply-add, with two numbers for each channel that are near the exact ones, so that
///   results are rounded to the same integers; or
/// - two of them, where that is less than what there is: for a channel whose numbers one does not
///   separate, another one before it moves those next to a half by what it rounds; or
/// - the sums and products that there are, and a product with the inverse in place of the quotient:
///   where many numbers are next to a half, what each operation rounds decides.
///
/// Bounds follow as those of the integer. Whether results are equal is tried for each channel where
/// they grow, with the roundings of the target, which may lack fused multiply-adds.
std::optional<QuantizedInteger> shorterSteps(const QuantizedInteger &function, bool hasFma);

/// Fused multiply-adds, one after the other, of those channels that have any.
struct ChannelMultiplyAdds {
  /// One or two steps. The first one's factor is 0 for a channel that has none.
  std::vector<ScalarStep> steps;
  int64_t channels = 0; ///< that have them
};

/// Returns multiply-adds of x as a float that have the same results for a channel, in place of more
/// steps on floats before the rounding, where `width` channels are computed at once, either all by
/// them or all by the steps that there are. Returns nothing if they save less than one operation
/// for every other vector, or if results are not between integers after the rounding.
std::optional<ChannelMultiplyAdds> multiplyAddsOfChannels(const QuantizedInteger &function,
                                                          int64_t width);

} // namespace kgen
