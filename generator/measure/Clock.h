// The two clocks of measurements, in seconds.
#pragma once

#include <ctime>

namespace kgen {

inline double readClock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// This thread's processor time: what other programs do on the machine counts less than with a wall
/// clock. For what runs on one thread.
inline double threadSeconds() { return readClock(CLOCK_THREAD_CPUTIME_ID); }

/// For what runs on several threads.
inline double wallSeconds() { return readClock(CLOCK_MONOTONIC); }

} // namespace kgen
