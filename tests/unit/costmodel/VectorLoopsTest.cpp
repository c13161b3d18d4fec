// The cheapest form of loops over vectors, by the length of rows.
#include "costmodel/VectorLoops.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

const char *cheapest(const Cpu &cpu, const VectorRows &rows, VectorRows inLines) {
  double alone = cyclesInRows(cpu, rows), flattened = cyclesInFlattenedRows(cpu, rows),
         lines = cyclesInFullLines(cpu, inLines);
  if (flattened <= lines && flattened <= alone)
    return "flattened";
  return lines <= alone ? "lines" : "alone";
}

} // namespace

TEST_CASE(
    "rows in a cache are flattened if they are short, or few vectors with a nearly empty one") {
  Cpu cpu;
  struct Row {
    int64_t length, lanes;
    bool isNarrowed;
    const char *form;
  };
  for (const Row &row :
       {Row{11, 16, false, "flattened"}, Row{15, 16, false, "flattened"},
        Row{17, 16, false, "flattened"}, Row{18, 16, false, "flattened"},
        Row{18, 16, true, "alone"}, Row{17, 16, true, "flattened"}, Row{19, 16, false, "alone"},
        Row{31, 16, false, "alone"}, Row{50, 16, false, "flattened"}, Row{65, 16, false, "alone"},
        Row{7, 8, false, "flattened"}, Row{9, 8, true, "flattened"}, Row{10, 8, false, "alone"},
        Row{33, 8, false, "alone"}, Row{1000, 16, false, "alone"}}) {
    CAPTURE(row.length, row.lanes, row.isNarrowed);
    VectorRows rows{row.length, row.lanes, row.isNarrowed ? 32 : 16, row.isNarrowed};
    CHECK(std::string(cheapest(cpu, rows, rows)) == row.form);
  }
}

TEST_CASE("results in memory are written in full lines, flattened where operands allow it") {
  Cpu cpu;
  for (int64_t lineElements : {8, 16, 32, 64}) // of 8 to 1 bytes
    for (int64_t length : {65, 77, 130, 999})
      for (int64_t lanes : {4, 8}) {
        CAPTURE(lineElements, length, lanes);
        VectorRows rows{length, lanes, lineElements, lineElements > 16, RowStores::throughCaches};
        VectorRows inLines = rows;
        inLines.stores = RowStores::cached;
        CHECK(cyclesInFullLines(cpu, inLines) < cyclesInRows(cpu, rows));
        CHECK(cyclesInFullLines(cpu, rows) > cyclesInRows(cpu, rows)); // what is read is in memory
        if (lanes == 8 && lineElements >= 16)
          CHECK(cyclesInFlattenedRows(cpu, rows) < cyclesInFullLines(cpu, inLines));
      }
}

TEST_CASE("rows that begin where non-temporal stores may gain less from being flattened") {
  Cpu cpu;
  VectorRows few{44, 16, 16, false, RowStores::partialLines},
      many{76, 16, 16, false, RowStores::partialLines};
  CHECK(cyclesInFlattenedRows(cpu, few) < cyclesInRows(cpu, few));
  CHECK(cyclesInFlattenedRows(cpu, many) <
        cyclesInRows(cpu, {76, 16, 16, false, RowStores::throughCaches}));
}

TEST_CASE("interleaved rows cost at most as much as transposed blocks") {
  Cpu avx2, avx512;
  avx512.hasTwoSourceShuffles = true;
  auto pays = [](const Cpu &cpu, int64_t rows) {
    return interleaveShuffles(cpu, rows) <= cpu.heuristics.transposeShuffles;
  };
  CHECK(pays(avx2, 3));
  CHECK(!pays(avx2, 4));
  CHECK(pays(avx512, 6));
  CHECK(!pays(avx512, 7));
  CHECK(pairwiseShuffles(2, 8) == 1);
  CHECK(pairwiseShuffles(4, 8) == 2);
  CHECK(pairwiseShuffles(4, 4) == 1); // a broadcast
}

TEST_CASE(
    "no form with vectors costs more than element by element, and that less than scalar loops") {
  Cpu cpu;
  for (int64_t lanes : {1, 2, 16}) {
    CHECK(cyclesInRows(cpu, {1, lanes}) <= cyclesByElement(cpu));
    CHECK(cyclesInShuffledVectors(cpu, lanes, 100) <= cyclesByElement(cpu));
    CHECK(cyclesInWindows(cpu, {1, lanes}, 4) <= cyclesByElement(cpu));
  }
  CHECK(cyclesByElement(cpu) < cyclesInScalarLoops(cpu));
  CHECK(cyclesInWindows(cpu, {64, 16}, 0.5) < cyclesInWindows(cpu, {64, 16}, 1));
}
