#include "driver/bench/TimedCall.h"

#include "measure/Clock.h"
#include "target/HostCpu.h"

namespace kgen {
namespace {

constexpr double shortestReading = 200e-6; ///< long beside what a clock and an interrupt cost
constexpr double shortestCold = 20e-6;     ///< fifty times what reading processor time takes

/// Single calls whose times are kept, and when to stop before.
constexpr size_t latencyCalls = 100'000;
constexpr double latencySeconds = 20;

} // namespace

double TimedCall::reading() {
  if (line.cold)
    return coldReading();
  call->begin();
  call->run(pool->executor()); // what ran in between has used the caches, too
  double start = pool->now();
  for (int64_t i = 0; i < batch; ++i)
    call->run(pool->executor());
  return (pool->now() - start) / static_cast<double>(batch);
}

double TimedCall::coldReading() {
  call->begin();
  call->flush();
  for (auto [bytes, count] : weights)
    hostCpu().flushFromCaches(bytes, count);
  auto now = [&] { return isShort ? wallSeconds() : pool->now(); };
  double start = now();
  call->run(pool->executor());
  return now() - start;
}

void TimedCall::measureLatency() {
  call->begin();
  double begin = wallSeconds();
  for (size_t i = 0; i < latencyCalls && wallSeconds() - begin < latencySeconds; ++i) {
    double start = wallSeconds();
    call->run(pool->executor());
    line.latency.add(wallSeconds() - start);
  }
}

void TimedCall::calibrate() {
  isShort = reading() < shortestCold;
  while (!line.cold && reading() * static_cast<double>(batch) < shortestReading)
    batch *= 2;
}

} // namespace kgen
