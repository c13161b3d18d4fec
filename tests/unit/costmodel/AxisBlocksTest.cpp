// Blocks along an axis that is read twice.
#include "costmodel/AxisBlocks.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("rows stay in the caches up to a number of elements, and slices of a few rows always") {
  Cpu cpu; // 262144 elements; 128 rows, or 256 that are read again
  struct Row {
    AxisShape axis;
    bool fits, fitsReadAgain;
  };
  for (const Row &row :
       {Row{{1, 262144, 1}, true, true}, Row{{1, 262145, 1}, false, false},
        Row{{1, 128, 1 << 20}, true, true}, Row{{1, 129, 1 << 20}, false, true},
        Row{{1, 256, 1 << 20}, false, true}, Row{{1, 257, 1 << 20}, false, false}}) {
    CHECK(fitsIntoCaches(cpu, row.axis, /*areReadAgain=*/false) == row.fits);
    CHECK(fitsIntoCaches(cpu, row.axis, /*areReadAgain=*/true) == row.fitsReadAgain);
  }
}

TEST_CASE("eight slices are enough for tasks; a page inside of the axis is one if elements are "
          "read again") {
  Cpu cpu;
  const int64_t page = cpu.pageBytes / 4; // elements
  CHECK(hasManySlices(cpu, {8, 1000, 1}, /*areReadAgain=*/false));
  CHECK(!hasManySlices(cpu, {7, 1000, 8 * page}, /*areReadAgain=*/false));
  CHECK(hasManySlices(cpu, {1, 1000, 8 * page}, /*areReadAgain=*/true));
  CHECK(!hasManySlices(cpu, {1, 1000, 7 * page}, /*areReadAgain=*/true));
  CHECK(hasManySlices(cpu, {1, 1000, 4 * page, 64}, /*areReadAgain=*/true));
}

TEST_CASE("the longest block that divides the axis") {
  CHECK(blockLength({1, 1 << 20, 1}) == 16384);
  CHECK(blockLength({1, 3 * 1031, 1}) == 3093);
  CHECK(blockLength({1, 1021, 1}) == 0); // less than the shortest
  CHECK(blockLength({1, 640, 100}) == 64);
  CHECK(blockLength({1, 11 * 13, 100}) == 13);
  CHECK(blockLength({1, 7 * 67, 100}) == 0);
}
