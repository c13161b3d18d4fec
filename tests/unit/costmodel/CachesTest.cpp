// Tensors that stay in each cache.
#include "costmodel/Caches.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

constexpr int64_t kib = 1024, mib = 1024 * kib;

Cpu smallCpu() {
  Cpu cpu;
  cpu.l1dBytes = 32 * kib;
  cpu.l2Bytes = mib;
  return cpu;
}

} // namespace

TEST_CASE("shares of caches") {
  Cpu cpu = smallCpu();
  struct Row {
    Cache cache;
    Share share;
    int64_t bytes;
  };
  for (const Row &row :
       {Row{Cache::l1, Share::all, 32 * kib}, Row{Cache::l1, Share::twoThirds, 32 * kib * 2 / 3},
        Row{Cache::l1, Share::eighth, 4 * kib}, Row{Cache::l2, Share::threeQuarters, 768 * kib},
        Row{Cache::l2, Share::half, 512 * kib}, Row{Cache::l2, Share::quarter, 256 * kib},
        Row{Cache::lastLevel, Share::all, 16 * mib}}) {
    CHECK(capacity(cpu, row.cache, row.share) == row.bytes);
    CHECK(fits(cpu, row.bytes, row.cache, row.share));
    CHECK(!fits(cpu, row.bytes + 1, row.cache, row.share));
  }
}

TEST_CASE("a core's share of the last-level cache is stated, or follows from L2") {
  Cpu cpu = smallCpu();
  CHECK(!exceedsLastLevel(cpu, 16 * mib));
  CHECK(exceedsLastLevel(cpu, 16 * mib + 1));
  cpu.heuristics.lastLevelPerL2 = 4;
  CHECK(exceedsLastLevel(cpu, 4 * mib + 1));
  cpu.l3BytesPerCore = 3 * mib;
  CHECK(exceedsLastLevel(cpu, 3 * mib + 1));
  CHECK(!exceedsLastLevel(cpu, 3 * mib));
}

TEST_CASE("a size that is not known stays where its maximum fits, and leaves where its minimum "
          "does not") {
  Cpu cpu = smallCpu();
  SizeInterval rows{1, 64};
  CHECK(fits(cpu, rows * 512, Cache::l1));
  CHECK(!fits(cpu, rows * 513, Cache::l1));
  CHECK(!exceedsLastLevel(cpu, rows * mib));
  CHECK(exceedsLastLevel(cpu, rows * mib + 33 * mib));
  CHECK(SizeInterval(7).isNumber());
  CHECK(!rows.isNumber());
}

TEST_CASE("rows that are pages apart meet in one set") {
  Cpu cpu = smallCpu();
  CHECK(waysOfL1(cpu) == 8);
  CHECK(setsOfRows(cpu, 4096) == 1);
  CHECK(setsOfRows(cpu, 2048) == 2);
  CHECK(setsOfRows(cpu, 4096 + 64) == 64);
  CHECK(!hasSetConflicts(cpu, 4, 4096));
  CHECK(hasSetConflicts(cpu, 5, 4096));
  CHECK(!hasSetConflicts(cpu, 8, 2048));
  CHECK(hasSetConflicts(cpu, 9, 2048));
  CHECK(!hasSetConflicts(cpu, 64, 4096 + 64));
  CHECK(!hasSetConflicts(cpu, 0, 4096));
  cpu.l1Ways = 12;
  CHECK(!hasSetConflicts(cpu, 6, 4096));
  CHECK(hasSetConflicts(cpu, 7, 4096));
}
