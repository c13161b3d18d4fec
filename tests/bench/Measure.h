// Number of calls of a function that is timed, and the peak that its rate is a fraction of.
#pragma once

#include "measure/Clock.h"
#include "measure/Series.h"
#include "measure/ThreadPool.h"

#include <string_view>
#include <vector>

namespace bench {

using kgen::Series;

/// 10^9 operations a second of one short run of such instructions in registers: of the fastest one,
/// by name (target/HostCpu.h).
double peakRate(const std::vector<std::string_view> &instructions);
/// The peak rate of every thread of the pool, measured at the same time.
double peakRate(const std::vector<std::string_view> &instructions, const kgen::ThreadPool &pool);

/// Seconds of one call, as the mean of several.
template <typename Function>
double seconds(const Function &function, int calls, double (*clock)() = kgen::threadSeconds) {
  double start = clock();
  for (int i = 0; i < calls; i++)
    function();
  return (clock() - start) / calls;
}

/// Calls that take at least `time` together.
template <typename Function>
int callsFor(double time, const Function &function, double (*clock)() = kgen::threadSeconds) {
  int calls = 1;
  while (seconds(function, calls, clock) * calls < time)
    calls *= 2;
  return calls;
}

} // namespace bench
