// Times of something that is done again and again.
#pragma once

#include "measure/Series.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace kgen {

/// Grows the number of runs per reading of the clock until a reading is long enough, then takes
/// `iterations` of them.
class Measurement {
public:
  Measurement(std::string where, int64_t iterations, int64_t flops);
  /// To be called after each run: whether there should be another one.
  bool again() { return --left > 0 || read(); }
  /// "12.3 us per iteration (...)".
  std::string str() const;

private:
  using Clock = std::chrono::steady_clock;
  bool read();

  std::string where;
  int64_t iterations, flops;
  int64_t batch = 1, left = 1; ///< runs per reading, and until the next one
  bool warm = false;
  Series seconds; ///< per run, of each reading
  Clock::time_point begin;
};

} // namespace kgen
