// Prefetches of loops over vectors, by tables of how they read.
#include "costmodel/PrefetchPlan.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

Cpu cpuOfTable() {
  Cpu cpu;
  cpu.l1dBytes = 32 << 10;
  cpu.l2Bytes = 1 << 20;
  return cpu;
}

/// A loop that reads `elements` of f32 in a row.
ReadPattern rowOf(int64_t loop, int64_t elements) {
  ReadPattern read;
  read.loop = loop;
  read.elementBytes = 4;
  read.loopElements = read.sliceElements = elements;
  return read;
}

/// A loop that reads all of a slice of `elements`, which another slice follows.
ReadPattern sliceOf(int64_t loop, int64_t elements) {
  ReadPattern read = rowOf(loop, elements);
  read.hasNextSlice = true;
  read.sliceBytes = 4 * elements;
  return read;
}

/// A loop that reads a row of `elements` in each iteration of another loop with `rows` iterations.
ReadPattern rowOfSlice(int64_t loop, int64_t elements, int64_t rows) {
  ReadPattern read = sliceOf(loop, elements);
  read.sliceElements *= rows;
  read.sliceBytes *= rows;
  return read;
}

ReadPattern withFunctions(ReadPattern read) {
  read.hasFunctions = true;
  read.operations = 20;
  return read;
}

ReadPattern asOneRow(ReadPattern read) {
  read.isFlat = true;
  return read;
}

/// A loop that reads half of the slice, in rows of 64.
ReadPattern halfOf(ReadPattern read) {
  read.isFlat = true;
  read.loopElements = 64;
  read.sliceElements /= 2;
  return read;
}

ReadPattern sideBySide(ReadPattern read, int64_t reads) {
  read.readsOfColumn = reads;
  return read;
}

struct Expected {
  PrefetchAhead ahead = PrefetchAhead::none;
  int64_t elements = 0;
  Cache target = Cache::l1;
};

struct Row {
  const char *what;
  std::vector<ReadPattern> reads;
  std::vector<Expected> expected;
  std::vector<size_t> writers = {};
};

const Expected notPrefetched{};

} // namespace

TEST_CASE("one table says what each read prefetches") {
  const Expected distance{PrefetchAhead::distance, 512}, nextSlice{PrefetchAhead::nextSlice},
      nextSliceInL2{PrefetchAhead::nextSlice, 0, Cache::l2}, nextRow{PrefetchAhead::nextRow, 1024};
  for (const Row &table : {
           Row{"a stream", {rowOf(0, 1 << 20)}, {distance}},
           Row{"two prefetch distances", {rowOf(0, 1024)}, {distance}},
           Row{"less than that", {rowOf(0, 1023)}, {notPrefetched}},
           Row{"rows that the hardware prefetcher follows",
               {sideBySide(rowOf(0, 1 << 20), 4)},
               {notPrefetched}},
           Row{"fewer rows", {sideBySide(rowOf(0, 1 << 20), 3)}, {distance}},
           Row{"two loops over one slice: the last one",
               {sliceOf(0, 1024), sliceOf(1, 1024)},
               {notPrefetched, nextSlice},
               {0}},
           Row{"a slice of more than half of L1",
               {sliceOf(0, 8192), sliceOf(1, 8192)},
               {notPrefetched, nextSliceInL2},
               {0}},
           Row{"the loop with most work",
               {withFunctions(sliceOf(0, 1024)), sliceOf(1, 1024)},
               {nextSlice, notPrefetched},
               {0}},
           Row{"two loops over one row",
               {rowOf(0, 1024), rowOf(1, 1024)},
               {notPrefetched, nextRow},
               {0}},
           Row{"both as one row",
               {asOneRow(sliceOf(0, 1024)), asOneRow(sliceOf(1, 1024))},
               {notPrefetched, nextRow},
               {0}},
           Row{"a loop over half of the slice is redundant",
               {halfOf(sliceOf(0, 1024)), sliceOf(1, 1024)},
               {notPrefetched, distance}},
           Row{"slices of different loops that differ too much",
               {sliceOf(0, 512), sliceOf(1, 1024)},
               {notPrefetched, distance}},
           Row{"side by side, and the next slice is known",
               {withFunctions(sideBySide(sliceOf(0, 1024), 4)), sliceOf(1, 1024)},
               {nextSlice, notPrefetched},
               {0}},
           Row{"short rows in a slow loop",
               {withFunctions(rowOfSlice(0, 64, 16)), withFunctions(rowOfSlice(1, 64, 16))},
               {notPrefetched, nextSlice},
               {0}},
       }) {
    INFO(table.what);
    PrefetchPlan plan = planPrefetches(cpuOfTable(), table.reads);
    REQUIRE(plan.reads.size() == table.expected.size());
    bool isAny = false;
    for (size_t number = 0; number < plan.reads.size(); ++number) {
      INFO("read " << number);
      CHECK(plan.reads[number].ahead == table.expected[number].ahead);
      CHECK(plan.reads[number].elements == table.expected[number].elements);
      CHECK(plan.reads[number].target == table.expected[number].target);
      isAny |= plan.reads[number].ahead != PrefetchAhead::none;
    }
    CHECK((plan.refusal == nullptr) == isAny);
    CHECK(plan.writers == table.writers);
  }
}

TEST_CASE("short rows in fast loops are left to the hardware prefetcher") {
  PrefetchPlan plan = planPrefetches(cpuOfTable(), {rowOfSlice(0, 64, 16), rowOfSlice(1, 64, 16)});
  REQUIRE(plan.refusal);
  CHECK(std::string(plan.refusal) == "short rows in fast loops");
  CHECK(plan.reads[1].ahead == PrefetchAhead::none);

  ReadPattern across = rowOfSlice(0, 64, 1);
  across.isAcrossRows = true;
  across.rowsPerStep = 8;
  ReadPattern other = across;
  other.loop = 1;
  plan = planPrefetches(cpuOfTable(), {across, other}); // eight rows an iteration are slow
  CHECK(!plan.refusal);
  CHECK(plan.reads[1].ahead == PrefetchAhead::nextSlice);
}

TEST_CASE("windows over several rows") {
  Cpu cpu = cpuOfTable();
  // 3 x 3 windows with stride 2 over rows of 56 pixels of 64 channels, 16 channels at a time.
  WindowReads reads;
  reads.elementBytes = 4;
  reads.elements = 9 * 64;
  reads.span = 2 * 56 * 64 + 2 * 64;
  reads.trips = 28;
  reads.step = 1;
  reads.columnAdvance = 2 * 64;
  reads.rowAdvance = 2 * 56 * 64;
  REQUIRE(areWindows(cpu, reads));
  std::optional<WindowPrefetchPlan> plan = planWindowPrefetch(cpu, reads);
  REQUIRE(plan);
  CHECK(plan->lines == 16); // 2 x 56 x 64 x 4 bytes in 28 iterations
  CHECK(plan->factor == 16 * 16 - 2 * 64);
  CHECK(plan->ahead == 0); // the rows between are more than the distance

  WindowReads narrow = reads;
  narrow.trips = 1;
  CHECK(!areWindows(cpu, narrow)); // 128 pixels of f32 are not a row that is worth it
  WindowReads single = reads;
  single.elements = 128;
  CHECK(!areWindows(cpu, single));
  WindowReads gaps = reads;
  gaps.rowAdvance = 3 * reads.elements * reads.trips;
  CHECK(!areWindows(cpu, gaps));
  WindowReads many = reads;
  many.rowAdvance *= 2;
  CHECK(!planWindowPrefetch(cpu, many));
  WindowReads odd = reads;
  odd.step = 3;
  CHECK(!planWindowPrefetch(cpu, odd)); // 128 is no multiple of 3
}

TEST_CASE("lines of a block, distributed over a nest of loops") {
  Cpu cpu = cpuOfTable();
  struct Lines {
    int64_t lines, iterations, perIteration, perLine;
  };
  for (const Lines &row : {Lines{64, 64, 1, 1}, Lines{64, 200, 1, 3}, Lines{100, 64, 2, 1}}) {
    std::optional<BlockPrefetchPlan> plan = planBlockPrefetch(cpu, row.lines, row.iterations);
    REQUIRE(plan);
    CHECK(plan->linesPerIteration == row.perIteration);
    CHECK(plan->iterationsPerLine == row.perLine);
  }
  CHECK(!planBlockPrefetch(cpu, 129, 64));
}
