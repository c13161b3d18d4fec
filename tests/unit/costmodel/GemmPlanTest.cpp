// Blocks, register tiles and prefetches of macro-kernels, by tables.
#include "costmodel/GemmPlan.h"

#include <catch2/catch.hpp>

namespace kgen {
static bool operator==(const TileRun &x, const TileRun &y) {
  return x.start == y.start && x.size == y.size && x.count == y.count;
}
} // namespace kgen

using namespace kgen;

namespace {

using Runs = std::vector<TileRun>;

Cpu cpuOfGemm() {
  Cpu cpu;
  cpu.vectorBits = 256;
  cpu.vectorRegisters = 16;
  cpu.l1dBytes = 32 << 10;
  cpu.l2Bytes = 1 << 20;
  return cpu;
}

/// f32 with packed B that does not stay in L2.
GemmFacts packed(int64_t m, int64_t n, int64_t k) {
  GemmFacts facts;
  facts.m = m;
  facts.n = n;
  facts.k = k;
  facts.a.m = k;
  facts.a.k = 1;
  facts.c.m = n;
  facts.c.n = 1;
  facts.panel = facts.panelRowElements = 32;
  facts.lanes = 8;
  facts.bytesOfA = 4 * m * k;
  facts.bytesOfB = facts.bytesOfMatrixB = 64 << 20;
  facts.hasPanelsBeside = true;
  facts.blocking.mr = 6;
  facts.blocking.nr = 16;
  facts.blocking.accumulators = 12;
  facts.blocking.mc = 96;
  facts.blocking.kc = 256;
  facts.blocking.panel = 32;
  facts.vectorBlocking = facts.blocking;
  facts.usualKc = 256;
  return facts;
}

int64_t total(const TileRun &run) { return run.size * run.count; }

/// True if the runs follow each other from `start` on and have `size` in all.
bool follow(const Runs &runs, int64_t start, int64_t size) {
  int64_t end = start;
  for (const TileRun &run : runs) {
    if (run.start != end || run.size < 1 || run.count < 1)
      return false;
    end += total(run);
  }
  return end == start + size;
}

template <typename Blocks> Runs runsOf(const std::vector<Blocks> &blocks) {
  Runs runs;
  for (const Blocks &block : blocks)
    runs.push_back(block.blocks);
  return runs;
}

} // namespace

TEST_CASE("the usual depth is that of the table, or all of k where sums cannot wait in C") {
  Cpu cpu = cpuOfGemm();
  cpu.gemmTiles["gemm_f32"] = {{"mr", 6}, {"nr", 16}, {"kc", 384}};
  GemmShape floats{Element::f32, Element::f32}, bytes{Element::i8, Element::i8};
  floats.n = bytes.n = 64;
  floats.isPacked = bytes.isPacked = true;
  CHECK(usualDepth(cpu, floats, gemmTile(cpu, floats)) == 384);
  floats.m = floats.k = 3; // of no account
  CHECK(usualDepth(cpu, floats, gemmTile(cpu, floats)) == 384);
  floats.isPacked = false;
  CHECK(usualDepth(cpu, floats, gemmTile(cpu, floats)) == 384);
  CHECK(usualDepth(cpu, bytes, gemmTile(cpu, bytes)) > 100'000);
}

TEST_CASE("tiles differ by one row at most, the larger ones first") {
  CHECK(balancedTiles(10, 4) == Runs{{0, 4, 1}, {4, 3, 2}});
  CHECK(balancedTiles(12, 4) == Runs{{0, 4, 3}});
  CHECK(balancedTiles(3, 8) == Runs{{0, 3, 1}});
}

TEST_CASE("tiles of pairs of rows: an odd row is in the last one") {
  CHECK(balancedTiles(10, 6, 2) == Runs{{0, 6, 1}, {6, 4, 1}});
  CHECK(balancedTiles(12, 6, 2) == Runs{{0, 6, 2}});
  CHECK(balancedTiles(13, 6, 2) == Runs{{0, 6, 1}, {6, 4, 1}, {10, 3, 1}});
  CHECK(balancedTiles(15, 6, 2) == Runs{{0, 6, 2}, {12, 3, 1}});
  CHECK(balancedTiles(5, 6, 2) == Runs{{0, 5, 1}});
  CHECK(balancedTiles(1, 6, 2) == Runs{{0, 1, 1}});
}

TEST_CASE("the plan of a packed contraction") {
  GemmPlan plan = planGemm(cpuOfGemm(), packed(100, 100, 512));
  CHECK(runsOf(plan.rowBlocks) == Runs{{0, 54, 1}, {54, 46, 1}}); // whole tiles of 6 rows first
  CHECK(runsOf(plan.kBlocks) == Runs{{0, 256, 1}, {256, 256, 1}});
  CHECK(plan.kBlocks.front().isFirst);
  CHECK(!plan.kBlocks.front().isLast);
  CHECK(plan.kBlocks.back().isLast);
  CHECK(runsOf(plan.columns) == Runs{{0, 32, 3}, {96, 4, 1}});
  CHECK(plan.columns.front().tiles == 2);
  CHECK(plan.columns.back().tileColumns == 4);
  CHECK(plan.tiles[0][0].tiles.front().rows == Runs{{0, 6, 9}});
  CHECK(plan.tiles[1][0].tiles.front().rows == Runs{{0, 6, 6}, {36, 5, 2}});
  CHECK(!plan.upconversion);

  const GemmPrefetchPlan &prefetch = plan.tiles[0][0].prefetches[0];
  CHECK(prefetch.target == GemmPrefetch::nextPanel);
  CHECK(prefetch.elementsPerRow == 152); // 256 x 32 elements, by 54 rows
  CHECK(plan.tiles[0][1].prefetches[0].target == GemmPrefetch::none); // no full panel
}

TEST_CASE("a kernel has one product where the distance of several is known at run time") {
  GemmFacts facts = packed(100, 100, 64);
  facts.r = 3;
  CHECK(planGemm(cpuOfGemm(), facts).kBlocks.front().products == 3);
  facts.hasDynamicProducts = true;
  GemmPlan plan = planGemm(cpuOfGemm(), facts);
  CHECK(runsOf(plan.kBlocks) == Runs{{0, 1, 1}, {1, 1, 1}, {2, 1, 1}});
  for (const KBlocks &block : plan.kBlocks)
    CHECK(block.products == 1);
}

TEST_CASE("blocks and tiles cover a contraction, whatever its sizes") {
  Cpu cpu = cpuOfGemm();
  for (bool isPacked : {true, false})
    for (int64_t m : {1, 5, 6, 7, 95, 96, 97, 200})
      for (int64_t n : {1, 15, 16, 31, 33, 48, 200})
        for (int64_t k : {1, 63, 256, 257, 1000}) {
          GemmFacts facts = packed(m, n, k);
          if (!isPacked) {
            facts.panel = 0;
            facts.b.k = n;
            facts.b.n = 1;
          }
          GemmPlan plan = planGemm(cpu, facts);
          INFO(m << " x " << n << " x " << k << (isPacked ? " packed" : " in place"));
          CHECK(follow(runsOf(plan.rowBlocks), 0, m));
          CHECK(follow(runsOf(plan.columns), 0, n));
          CHECK(follow(runsOf(plan.kBlocks), 0, k));
          for (size_t row = 0; row < plan.rowBlocks.size(); ++row)
            for (size_t column = 0; column < plan.columns.size(); ++column) {
              const BlockTiles &block = plan.tiles[row][column];
              CHECK(block.tiles.size() == 1);
              CHECK(follow(block.tiles.front().rows, 0, plan.rowBlocks[row].rows));
              CHECK(block.prefetches.size() == plan.kBlocks.size());
              CHECK(plan.columns[column].width() == plan.columns[column].blocks.size);
            }
        }
}

TEST_CASE("one tile with all rows prefetches its own panel") {
  Cpu cpu = cpuOfGemm();
  auto first = [&](const GemmFacts &facts) {
    return planGemm(cpu, facts).tiles[0][0].prefetches[0];
  };
  const int64_t k = 2 * cpu.heuristics.minStreamRows;
  CHECK(first(packed(1, 64, k)).target == GemmPrefetch::ownPanel);
  CHECK(first(packed(1, 64, k)).streams == 2);
  CHECK(first(packed(1, 64, k - 2)).streams == 1);
  CHECK(first(packed(4, 64, k)).streams == 1);
  CHECK(first(packed(4, 64, cpu.heuristics.minStreamRows - 1)).target == GemmPrefetch::nextPanel);
  GemmFacts strict = packed(1, 64, k);
  strict.strictOrder = true;
  CHECK(first(strict).streams == 1);
  GemmFacts small = packed(1, 64, k);
  small.bytesOfMatrixB = cpu.l2Bytes / 4;
  CHECK(first(small).target == GemmPrefetch::none);
}

TEST_CASE("rows of an unpacked B are prefetched from the next block of k, or further right") {
  Cpu cpu = cpuOfGemm();
  GemmFacts facts = packed(24, 64, 512);
  facts.panel = 0;
  facts.b.k = 64;
  facts.b.n = 1;
  GemmPrefetchPlan prefetch = planGemm(cpu, facts).tiles[0][0].prefetches[0];
  CHECK(prefetch.target == GemmPrefetch::nextKBlock);
  CHECK(prefetch.elementsPerRow == 11 * 64); // 256 rows of B by 24 rows of A
  facts.n = facts.b.k = 1024;
  CHECK(planGemm(cpu, facts).tiles[0][0].prefetches[0].target == GemmPrefetch::nextColumns);
  facts.n = 16; // one tile takes all columns
  CHECK(planGemm(cpu, facts).tiles[0][0].prefetches[0].target == GemmPrefetch::none);
}

TEST_CASE("blocks of a large A prefetch the next one where B is small") {
  Cpu cpu = cpuOfGemm();
  cpu.hasFma = true;
  GemmFacts facts = packed(8192, 64, 64);
  facts.bytesOfMatrixB = 16 << 10;
  GemmPrefetchPlan prefetch = planGemm(cpu, facts).tiles[0][0].prefetches[0];
  CHECK(prefetch.target == GemmPrefetch::nextRowsOfA);
  CHECK(prefetch.elementsPerRow == 32); // a row of 64 elements by two panels
  facts.a.m = 128;                      // rows are not contiguous
  CHECK(planGemm(cpu, facts).tiles[0][0].prefetches[0].target == GemmPrefetch::none);
}

TEST_CASE("rows of several batch indices, as those of convolutions") {
  GemmFacts facts = packed(14, 64, 64);
  facts.hasBatch = true;
  facts.outer = 14;
  facts.a.outer = 14 * 64;
  facts.c.outer = 14 * 64;
  GemmPlan plan = planGemm(cpuOfGemm(), facts);
  CHECK(plan.hasOuterRows);
  CHECK(runsOf(plan.rowBlocks) == Runs{{0, 14, 1}}); // 96 x 256 elements of A hold 27 such rows
  CHECK(plan.rowBlocks.front().all() == 196);
  CHECK(plan.tiles[0][0].tiles.front().batches == TileRun{0, 1, 14});
  CHECK(plan.tiles[0][0].tiles.front().rows == Runs{{0, 5, 2}, {10, 4, 1}});
  facts.b.outer = 1; // each batch index has its own B
  CHECK(!planGemm(cpuOfGemm(), facts).hasOuterRows);
}

TEST_CASE("a kernel adds up several products, to 1.5 blocks of k") {
  GemmFacts facts = packed(6, 16, 64);
  facts.r = 9;
  CHECK(runsOf(planGemm(cpuOfGemm(), facts).kBlocks) == Runs{{0, 9, 1}});
  facts.k = 128;
  GemmPlan plan = planGemm(cpuOfGemm(), facts);
  CHECK(runsOf(plan.kBlocks) == Runs{{0, 3, 1}, {3, 3, 1}, {6, 3, 1}});
  CHECK(plan.kBlocks[1].products == 3);
  CHECK(plan.kBlocks[1].depth == 128);
}

TEST_CASE("vectors instead of AMX where the order of sums is strict, or A is not contiguous") {
  GemmFacts facts = packed(64, 64, 64);
  facts.blocking.usesTiles = true;
  CHECK(planGemm(cpuOfGemm(), facts).blocking.usesTiles);
  facts.strictOrder = true;
  CHECK(!planGemm(cpuOfGemm(), facts).blocking.usesTiles);
  facts.strictOrder = false;
  facts.a.k = 64;
  CHECK(!planGemm(cpuOfGemm(), facts).blocking.usesTiles);
}

TEST_CASE("dot products have square tiles, and all of k in a block") {
  GemmFacts facts = packed(16, 8, 1000);
  facts.panel = 0;
  facts.isContiguousAlongK = true;
  facts.b.k = 1;
  facts.b.n = 1000;
  GemmPlan plan = planGemm(cpuOfGemm(), facts);
  CHECK(plan.usesDotProducts);
  CHECK(plan.blocking.nr == 4);
  CHECK(plan.blocking.mr == 2); // 16 registers: 10 sums beside 4 columns of B
  CHECK(runsOf(plan.kBlocks) == Runs{{0, 1000, 1}});
}

TEST_CASE("panels that are up-converted once: the first rows store them, the others read them") {
  Cpu cpu = cpuOfGemm();
  cpu.hasFma = cpu.hasRegisterGather = cpu.hasF16Conversion = true;
  GemmFacts facts = packed(192, 96, 1024);
  facts.narrowB = Element::bf16;
  facts.hasOneType = false;
  facts.bBytes = 2;
  facts.vnni = 2;
  facts.panelRowElements = 64;
  facts.convertsPairs = true;
  facts.storesSums = false;
  GemmPlan plan = planGemm(cpu, facts);
  REQUIRE(plan.upconversion);
  CHECK(plan.needsPartialSums == (plan.upconversion->kc < 1024));
  CHECK(follow(runsOf(plan.upconvertedColumns), 0, 96));
  CHECK(follow(runsOf(plan.upconvertedK), 0, 1024));
  REQUIRE(plan.isUpconverted.size() == plan.rowBlocks.size());
  CHECK(plan.isUpconverted.front());
  for (size_t row = 0; row < plan.rowBlocks.size(); ++row)
    for (const UpconvertedTiles &tiles : plan.upconvertedTiles[row]) {
      CHECK(follow(tiles.others, 0, plan.rowBlocks[row].rows - tiles.firstRows));
      CHECK(tiles.prefetches.size() == plan.upconvertedK.size());
    }
  facts.hasImplicitPads = true;
  CHECK(!planGemm(cpu, facts).upconversion);
}

static std::vector<int64_t> remaindersOf(const GemmPlan &plan) {
  std::vector<int64_t> rows;
  for (const RemainderTile &remainder : plan.tiles.front().front().tiles.front().remainders)
    rows.push_back(remainder.rows);
  return rows;
}

TEST_CASE("rows that are counted at run time: whole tiles, and what may remain") {
  GemmFacts facts = packed(128, 96, 1024);
  facts.rowDivisor = 1;
  Cpu cpu = cpuOfGemm();
  cpu.hasFma = true;
  GemmPlan plan = planGemm(cpu, facts);
  // 128 rows are two blocks of at most 96, which are multiples of a tile.
  CHECK(runsOf(plan.rowBlocks) == Runs{{0, 66, 2}});
  const BlockTiles &block = plan.tiles.front().front();
  REQUIRE(block.tiles.size() == 1);
  CHECK(block.tiles.front().rows == Runs{{0, 6, 11}});
  CHECK(remaindersOf(plan) == std::vector<int64_t>{1, 2, 3, 4, 5});
  // Three rows of 32 columns are in the registers, four of 16.
  const std::vector<RemainderTile> &remainders = block.tiles.front().remainders;
  CHECK(remainders[2].tileColumns == 32);
  CHECK(remainders[2].tiles == 1);
  CHECK(remainders[3].tileColumns == 16);
  CHECK(remainders[3].tiles == 2);
}

TEST_CASE("rows that are counted at run time: as many kernels as multiples need") {
  struct {
    int64_t divisor;
    std::vector<int64_t> remainders;
  } cases[] = {
      {1, {1, 2, 3, 4, 5}},
      {2, {2, 4, 5}}, // eight are two of four, ten are two of five
      {4, {4, 5}},    // multiples leave two or four rows after whole tiles of six
      {3, {3, 4, 5}}, // nine are five and four
      {6, {}},
      {12, {}},
  };
  GemmFacts facts = packed(120, 96, 1024);
  for (const auto &[divisor, remainders] : cases) {
    CAPTURE(divisor);
    facts.rowDivisor = divisor;
    CHECK(remaindersOf(planGemm(cpuOfGemm(), facts)) == remainders);
  }
  // No whole tile.
  facts = packed(4, 96, 1024);
  facts.rowDivisor = 1;
  CHECK(remaindersOf(planGemm(cpuOfGemm(), facts)) == std::vector<int64_t>{1, 2, 3});
}

TEST_CASE("rows that are counted at run time prefetch at an even rate") {
  GemmFacts facts = packed(128, 96, 256);
  facts.rowDivisor = 1;
  Cpu cpu = cpuOfGemm();
  GemmPlan plan = planGemm(cpu, facts);
  const BlockTiles &block = plan.tiles.front().front();
  REQUIRE(block.prefetches.size() == plan.kBlocks.size());
  REQUIRE(block.remainderPrefetches.size() == plan.kBlocks.size());
  // A panel of 256 x 32, at the greatest by 16 rows in two tiles each.
  const int64_t panel = 256 * 32;
  CHECK(block.prefetches.front().target == GemmPrefetch::nextPanel);
  CHECK(block.prefetches.front().elements == panel);
  CHECK(block.prefetches.front().elementsPerRow == panel / 32);
  const RemainderPrefetchPlans &remainders = block.remainderPrefetches.front();
  // One stream: the sums of a row are the same however many rows there are.
  CHECK(remainders.maxFewRows == 3);
  CHECK(remainders.few.target == GemmPrefetch::ownPanel);
  CHECK(remainders.few.streams == 1);
  CHECK(remainders.few.elements == 0);
  CHECK(remainders.alone.target == GemmPrefetch::ownPanel);
  CHECK(remainders.alone.elements == panel);
  CHECK(remainders.alone.ahead == 2048); // 8 KiB
  CHECK(remainders.shared.target == GemmPrefetch::nextPanel);
  CHECK(remainders.shared.elements == panel);

  // B stays in the cache.
  facts.bytesOfB = facts.bytesOfMatrixB = 96 * 256 * 4;
  plan = planGemm(cpu, facts);
  const BlockTiles &near = plan.tiles.front().front();
  CHECK(near.prefetches.front().target == GemmPrefetch::none);
  CHECK(near.remainderPrefetches.front().few.target == GemmPrefetch::none);
  CHECK(near.remainderPrefetches.front().alone.target == GemmPrefetch::none);
}

TEST_CASE("rows that are counted at run time are no AMX tiles, nor up-convert panels once") {
  GemmFacts facts = packed(128, 96, 1024);
  facts.a.k = 1;
  facts.blocking.usesTiles = true;
  CHECK(planGemm(cpuOfGemm(), facts).blocking.usesTiles);
  facts.rowDivisor = 1;
  CHECK(!planGemm(cpuOfGemm(), facts).blocking.usesTiles);
  facts.blocking.usesTiles = false;
  facts.narrowB = Element::bf16;
  CHECK(!planGemm(cpuOfGemm(), facts).upconversion);
}
