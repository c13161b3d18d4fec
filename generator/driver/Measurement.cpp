#include "driver/Measurement.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

/// A reading must be long beside the clock's own 20 to 50 ns.
constexpr double shortestReading = 20e-6;

Measurement::Measurement(std::string where, int64_t iterations, int64_t flops)
    : where(std::move(where)), iterations(iterations), flops(flops), begin(Clock::now()) {}

/// The first run is always a warm-up: a reading that is long enough only ends the next one.
bool Measurement::read() {
  double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  if (warm)
    seconds.push_back(elapsed / static_cast<double>(batch));
  else if (elapsed >= shortestReading)
    warm = true;
  else
    batch *= 2;
  left = batch;
  begin = Clock::now();
  return static_cast<int64_t>(seconds.size()) < iterations;
}

static std::string timeText(double seconds) {
  if (seconds < 1e-6)
    return fmt::format("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3)
    return fmt::format("{:.4g} us", seconds * 1e6);
  return fmt::format("{:.4g} ms", seconds * 1e3);
}

std::string Measurement::str() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  auto at = [&](size_t quarter) { return sorted[(sorted.size() - 1) * quarter / 4]; };
  std::string text = fmt::format("{}: {} per iteration (median of {}; quartiles {} and {})", where,
                                 timeText(at(2)), sorted.size(), timeText(at(1)), timeText(at(3)));
  if (flops)
    text += fmt::format(", {:.4g} GFLOPS", static_cast<double>(flops) / at(2) * 1e-9);
  return text;
}

} // namespace kgen
