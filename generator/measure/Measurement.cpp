#include "measure/Measurement.h"

#include <fmt/format.h>

namespace kgen {

/// A reading must be long beside the clock's own 20 to 50 ns.
constexpr double shortestReading = 20e-6;

Measurement::Measurement(std::string where, int64_t iterations, int64_t flops)
    : where(std::move(where)), iterations(iterations), flops(flops), begin(Clock::now()) {}

/// The first run is always a warm-up: a reading that is long enough only ends the next one.
bool Measurement::read() {
  double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  if (warm)
    seconds.add(elapsed / static_cast<double>(batch));
  else if (elapsed >= shortestReading)
    warm = true;
  else
    batch *= 2;
  left = batch;
  begin = Clock::now();
  return static_cast<int64_t>(seconds.size()) < iterations;
}

std::string Measurement::str() const {
  double median = seconds.median();
  std::string text = fmt::format("{}: {} per iteration (median of {}; quartiles {} and {})", where,
                                 timeText(median), seconds.size(), timeText(seconds.quantile(0.25)),
                                 timeText(seconds.quantile(0.75)));
  if (flops)
    text += fmt::format(", {:.4g} GFLOPS", static_cast<double>(flops) / median * 1e-9);
  return text;
}

} // namespace kgen
