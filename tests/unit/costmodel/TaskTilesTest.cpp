// Tiles of tasks, and how long threads take for them.
#include "costmodel/TaskTiles.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

using namespace kgen;

namespace {

/// Each thread takes the next tile when it has done one.
int64_t simulate(int64_t threads, int64_t whole, int64_t tile, int64_t last) {
  std::vector<int64_t> busyUntil(threads);
  auto run = [&](int64_t length) {
    *std::min_element(busyUntil.begin(), busyUntil.end()) += length;
  };
  for (int64_t i = 0; i < whole; ++i)
    run(tile);
  run(last);
  return *std::max_element(busyUntil.begin(), busyUntil.end());
}

} // namespace

TEST_CASE("the makespan is that of threads that take one tile after another") {
  for (int64_t threads : {1, 2, 3, 4, 16, 64})
    for (int64_t whole : {0, 1, 2, 3, 5, 16, 33})
      for (int64_t last : {0, 1, 7, 10})
        CHECK(makespan(threads, whole, 10, last) == simulate(threads, whole, 10, last));
}

TEST_CASE("even tiles") {
  Cpu cpu;
  struct Row {
    TaskTile wanted;
    int64_t tile;
  };
  for (const Row &row :
       {Row{{128, 8}, 16}, Row{{128, 32}, 4}, Row{{128, 100}, 2}, Row{{7, 4}, 1}, Row{{31, 4}, 1},
        Row{{67, 4}, 67},             // a prime, and more tiles than tasks may be
        Row{{128, 8, 32}, 32},        // multiples of 32
        Row{{128, 8, 1, 64}, 64},     // of 64 at least
        Row{{96, 4, 1, 1, 16}, 16},   // 24 would leave half of a second grain idle
        Row{{100, 4, 1, 1, 16}, 100}, // as every divisor would
        Row{{0, 4}, 0}, Row{{1, 4}, 1}}) {
    INFO(row.wanted.size << " in " << row.wanted.minCount);
    CHECK(evenTile(cpu, row.wanted) == row.tile);
  }
  cpu.heuristics.maxTasks = 32;
  CHECK(evenTile(cpu, {128, 100}) == 4);
}

TEST_CASE("what was weighed against the tile, and why it lost") {
  Cpu cpu;
  std::vector<RejectedTile> rejected;
  CHECK(evenTile(cpu, {128, 8}, &rejected) == 16);
  REQUIRE(rejected.size() == 2);
  CHECK(rejected[0].size == 64);
  CHECK(rejected[1].size == 32);
  CHECK(rejected[1].why == "4 tasks of 8 that are wanted");
  rejected.clear();
  CHECK(evenTile(cpu, {96, 4, 1, 1, 16}, &rejected) == 16);
  REQUIRE_FALSE(rejected.empty());
  CHECK(rejected.back().size == 24);
  CHECK(rejected.back().why == "the last 16 iterations of a task would be idle in part");
  rejected.clear();
  CHECK(unevenTile(cpu, {1000, 8}, &rejected) > 0);
  for (const RejectedTile &tile : rejected)
    CHECK(tile.why.rfind("threads would be done after ", 0) == 0);
}

TEST_CASE("a target with many cores gets a task for each of them") {
  Cpu cpu;
  struct Row {
    int64_t cores, tasks, sufficient;
  };
  for (const Row &row : {Row{0, 64, 8}, Row{1, 64, 8}, Row{2, 64, 8}, Row{16, 64, 16},
                         Row{64, 64, 64}, Row{128, 128, 128}}) {
    cpu.cores = row.cores;
    CHECK(maxTasksOf(cpu) == row.tasks);
    CHECK(sufficientTasksOf(cpu) == row.sufficient);
    CHECK(evenTile(cpu, {1024, 1024}) == 1024 / row.tasks);
    CHECK(evenParts(cpu, 1024, 1, 1, 1024) == row.tasks);
    CHECK(unevenTile(cpu, {1000, 1024}) >= 1000 / row.tasks);
  }
}

TEST_CASE("uneven tiles are no worse for two and four threads than any other") {
  Cpu cpu;
  for (int64_t size : {5, 17, 97, 1000, 1021}) {
    TaskTile wanted{size, 8};
    int64_t tile = unevenTile(cpu, wanted);
    REQUIRE(tile > 0);
    REQUIRE(tile < size);
    auto time = [&](int64_t t) {
      return makespan(2, size / t, t, size % t) + makespan(4, size / t, t, size % t) + t / 4 +
             size / t * (size / cpu.heuristics.tasksPerStart);
    };
    for (int64_t other = std::max<int64_t>(1, size / 16); other <= (size + 1) / 2; ++other)
      CHECK(time(tile) <= time(other));
  }
  CHECK(unevenTile(cpu, {1, 8}) == 0);
  CHECK(unevenTile(cpu, {100, 8, 16}) % 16 == 0);
}

TEST_CASE("equal parts") {
  Cpu cpu;
  CHECK(evenParts(cpu, 12, 1, 1, 8) == 12);
  CHECK(evenParts(cpu, 12, 1, 1, 6) == 6);
  CHECK(evenParts(cpu, 12, 1, 4, 8) == 2);
  CHECK(evenParts(cpu, 512, 64, 1, 32) == 8);
  CHECK(evenParts(cpu, 13, 2, 1, 8) == 1);
}
