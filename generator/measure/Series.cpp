#include "measure/Series.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

double Series::quantile(double q) const {
  std::vector<double> sorted = values;
  auto at =
      sorted.begin() + static_cast<ptrdiff_t>(q * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

std::string timeText(double seconds) {
  if (seconds < 1e-6)
    return fmt::format("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3)
    return fmt::format("{:.4g} us", seconds * 1e6);
  if (seconds < 1)
    return fmt::format("{:.4g} ms", seconds * 1e3);
  return fmt::format("{:.4g} s", seconds);
}

} // namespace kgen
