// How often something is called to be timed, and what the times say.
#pragma once

#include "Clock.h"

#include <algorithm>
#include <vector>

namespace bench {

/// Figures of one kind, of all rounds.
class Series {
public:
  void add(double value) { values.push_back(value); }
  double quantile(double q) const {
    std::vector<double> sorted(values);
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }
  double median() const { return quantile(0.5); }
  double last() const { return values.back(); }

private:
  std::vector<double> values;
};

/// Seconds of one call, as the mean of several.
template <typename Function> double seconds(const Function &function, int calls) {
  double start = now();
  for (int i = 0; i < calls; i++)
    function();
  return (now() - start) / calls;
}

/// Calls that take at least `time` together.
template <typename Function> int callsFor(double time, const Function &function) {
  int calls = 1;
  while (seconds(function, calls) * calls < time)
    calls *= 2;
  return calls;
}

} // namespace bench
