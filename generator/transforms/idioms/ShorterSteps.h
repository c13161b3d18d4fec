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

/// Returns a fused multiply-add of x as a float that has the same results for a channel, in place
/// of the steps on floats before the rounding, where these are more than one: its factor is 0 for a
/// channel that has none. Returns nothing if most channels have none, or if the results are not
/// between integers after the rounding.
std::optional<ScalarStep> singleMultiplyAdds(const QuantizedInteger &function);

} // namespace kgen
