// Copies of elements that are apart, for constants that are rearranged at build time.
#pragma once

#include <cstdint>
#include <cstring>

namespace kgen {

namespace detail {
template <size_t width>
void copyStrided(char *to, const char *from, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i, to += width, from += stride * static_cast<int64_t>(width))
    std::memcpy(to, from, width);
}
} // namespace detail

/// Copies `count` elements of `width` bytes, which are `stride` elements apart, one after the
/// other.
inline void copyStrided(char *to, const char *from, int64_t count, int64_t stride, size_t width) {
  if (stride == 1)
    std::memcpy(to, from, static_cast<size_t>(count) * width);
  else if (width == 1)
    detail::copyStrided<1>(to, from, count, stride);
  else if (width == 2)
    detail::copyStrided<2>(to, from, count, stride);
  else if (width == 4)
    detail::copyStrided<4>(to, from, count, stride);
  else
    for (int64_t i = 0; i < count; ++i, to += width, from += stride * static_cast<int64_t>(width))
      std::memcpy(to, from, width);
}

} // namespace kgen
