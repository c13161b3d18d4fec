// How often something is called to be timed, and the peak that its rate is a fraction of.
#pragma once

#include "measure/Clock.h"
#include "measure/Series.h"

namespace bench {

using kgen::Series;

enum class Isa { avx2, avx512 };

/// GFLOPS of one short run of independent f32 multiply-adds in registers.
double fmaRate(Isa isa);

/// Seconds of one call, as the mean of several.
template <typename Function> double seconds(const Function &function, int calls) {
  double start = kgen::threadSeconds();
  for (int i = 0; i < calls; i++)
    function();
  return (kgen::threadSeconds() - start) / calls;
}

/// Calls that take at least `time` together.
template <typename Function> int callsFor(double time, const Function &function) {
  int calls = 1;
  while (seconds(function, calls) * calls < time)
    calls *= 2;
  return calls;
}

} // namespace bench
