// Seconds of this thread's processor time: what other programs do on the machine counts less than
// with a wall clock. Everything that is measured runs on one thread.
#pragma once

#include <ctime>

namespace bench {
inline double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
} // namespace bench
