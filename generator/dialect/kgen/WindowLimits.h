// The windows that the loops over windows of images take.
#pragma once

#include <cstdint>

namespace kgen {

/// Taps of a window: they are unrolled or kept in a table, and more of them make code too long.
constexpr int64_t maxWindowTaps = 64;

} // namespace kgen
