// Blocks of threads that a core of a graphics card runs at a time, by a table.
#include "costmodel/GpuOccupancy.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("the first limit that is reached decides") {
  GpuFacts gpu; // an A100's core
  gpu.subgroup = 32;
  gpu.threadsOfCore = 2048;
  gpu.blocksOfCore = 32;
  gpu.sharedBytesOfCore = 164 << 10;
  gpu.registersOfCore = 65536;
  struct Row {
    GpuBlock block;
    int64_t blocks;
    const char *limit;
    double share;
  };
  const Row rows[] = {
      {{256, 0, 0}, 8, "threads", 1},
      {{256, 0, 32}, 8, "threads", 1}, // 65536 / (256 * 32) is 8, too
      {{256, 0, 33}, 7, "registers", 7 * 256 / 2048.0},
      {{32, 0, 0}, 32, "blocks", 0.5},
      {{33, 0, 0}, 32, "threads", 1}, // two subgroups
      {{256, 32 << 10, 0}, 5, "shared memory", 5 * 256 / 2048.0},
      {{1024, 0, 255}, 0, "registers", 0},
  };
  for (const Row &row : rows) {
    GpuOccupancy found = gpuOccupancy(gpu, row.block);
    CAPTURE(row.block.threads, row.block.sharedBytes, row.block.registers);
    CHECK(found.blocks == row.blocks);
    CHECK(std::string(found.limit) == row.limit);
    CHECK(found.share == row.share);
  }
}
