// Readings of one line of the result: calls of a function on this CPU.
#pragma once

#include "driver/bench/Bench.h"
#include "driver/run/GraphCall.h"
#include "measure/ThreadPool.h"

namespace kgen {

struct TimedCall {
  GraphCall *call;
  const ThreadPool *pool;
  std::vector<std::pair<const void *, size_t>> weights;
  BenchLine line;
  int64_t batch = 1;    ///< calls in a reading
  bool isShort = false; ///< a cold call, for the wall clock: processor time is read too slowly

  /// Returns seconds of one call.
  double reading();
  /// Chooses how many calls a reading has. A cold reading is one call: the second one would be
  /// warm.
  void calibrate();
  /// Calls one after another, each with a time of its own: what a caller waits for.
  void measureLatency();

private:
  double coldReading();
};

} // namespace kgen
