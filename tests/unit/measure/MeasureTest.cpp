// Clocks, peaks, threads: what they promise whatever the machine.
#include "driver/run/LoadedCode.h"
#include "measure/Bandwidth.h"
#include "measure/Measurement.h"
#include "measure/Peak.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <set>

using namespace kgen;

TEST_CASE("quantiles do not depend on the order of readings") {
  Series series;
  for (double value : {5.0, 1.0, 4.0, 2.0, 3.0})
    series.add(value);
  CHECK(series.size() == 5);
  CHECK(series.median() == 3);
  CHECK(series.quantile(0) == 1);
  CHECK(series.quantile(0.25) == 2);
  CHECK(series.quantile(1) == 5);
  Series one;
  one.add(7);
  CHECK(one.quantile(0.9) == 7);
}

TEST_CASE("times have units") {
  CHECK(timeText(12.34e-9) == "12.34 ns");
  CHECK(timeText(1.5e-6) == "1.5 us");
  CHECK(timeText(0.0375) == "37.5 ms");
  CHECK(timeText(2) == "2 s");
}

TEST_CASE("a pool runs every task once") {
  for (unsigned threads : {1u, 2u, 5u}) {
    if (threads > 1 && !ThreadPool::available())
      continue;
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    CHECK((pool.executor() != nullptr) == (threads > 1));
    std::vector<std::atomic<int>> runs(100);
    pool.run(100, [&](uint32_t i) { ++runs[i]; });
    for (const std::atomic<int> &count : runs)
      CHECK(count == 1);
  }
}

TEST_CASE("peaks of the instructions that this CPU has") {
  ThreadPool pool(1);
  std::set<std::string_view> names;
  for (const PeakInstruction &instruction : hostCpu().peakInstructions()) {
    CHECK(names.insert(instruction.name).second);
    CHECK_FALSE(instruction.types.empty());
    if (hostSupports({instruction.features.begin(), instruction.features.end()})) {
      INFO(instruction.name);
      CHECK(peakRate(instruction, pool) > 0.01);
    }
  }
}

TEST_CASE("bytes move") {
  ThreadPool pool(1);
  for (MemoryLevel level : memoryLevels) {
    Bandwidth bandwidth(level, pool);
    for (BandwidthKind kind : {BandwidthKind::reads, BandwidthKind::triad}) {
      INFO(bandwidthName(level, kind));
      std::optional<double> rate = bandwidth.measure(kind);
      CHECK((rate ? *rate > 0.001 : level == MemoryLevel::lastCache));
    }
  }
}
