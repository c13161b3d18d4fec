// Tiles of transpositions on graphics cards: that they fit, and where they move fewer bytes than
// reads element by element.
#include "costmodel/GpuTransposition.h"
#include "RoundCard.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

/// A matrix of f32 whose rows become columns.
GpuTransposition matrix(int64_t rows, int64_t columns) {
  return {1, columns, rows, columns, rows, 4, 1, columns % 8 == 0, rows % 8 == 0};
}

} // namespace

TEST_CASE("a large transposition moves each byte once, by tiles of four elements a thread") {
  const GpuTransposition size = matrix(4096, 4096);
  const std::optional<GpuTranspositionTile> tile = chooseGpuTransposition(card(), size);
  REQUIRE(tile);
  CHECK(tile->read == 32);
  CHECK(tile->written == 32);
  CHECK(gpuTranspositionCycles(card(), size, *tile) == 2 * 4 * 4096.0 * 4096 / 1024);
  // Each element read alone moves a sector.
  CHECK(gpuScatteredReadCycles(card(), size) == (32 + 4) * 4096.0 * 4096 / 1024);
}

TEST_CASE("rows that begin in the middle of a sector have longer tiles") {
  const std::optional<GpuTranspositionTile> tile =
      chooseGpuTransposition(card(), matrix(4097, 4095));
  REQUIRE(tile);
  CHECK(tile->elements() > 32 * 32);
}

TEST_CASE("a tile is within the tensor and within the shared memory of a block") {
  GpuFacts small = card();
  small.sharedBytes = 4096;
  const GpuTransposition sizes[] = {matrix(3, 50176),
                                    matrix(50176, 3),
                                    matrix(49, 320),
                                    matrix(1000, 1001),
                                    matrix(7, 5),
                                    matrix(33, 31),
                                    {12, 64, 197, 768, 197, 8, 2, true, false}};
  for (const GpuFacts &gpu : {card(), small})
    for (const GpuTransposition &size : sizes) {
      const std::optional<GpuTranspositionTile> tile = chooseGpuTransposition(gpu, size);
      if (!tile)
        continue;
      CHECK(tile->read <= size.readRun);
      CHECK(tile->written <= size.writtenRun);
      CHECK(size.sources * tile->sharedElements() * size.bytes <= gpu.sharedBytes);
      CHECK(tile->pitch() % 2 == 1);
      CHECK(gpuTranspositionCycles(gpu, size, *tile) < gpuScatteredReadCycles(gpu, size));
    }
}

TEST_CASE("a short run has a tile as long as others on the other side") {
  const std::optional<GpuTranspositionTile> pixels =
      chooseGpuTransposition(card(), matrix(224 * 224, 3));
  REQUIRE(pixels);
  CHECK(pixels->read == 3);
  CHECK(pixels->elements() > 900);
  // Three elements of each of the tile's pixels are one run of the source.
  const double least = 2 * 4 * 3 * 224.0 * 224 / card().bytesPerCycle;
  CHECK(gpuTranspositionCycles(card(), matrix(224 * 224, 3), *pixels) < 1.1 * least);
}

TEST_CASE("neighbours that are read as neighbours need no tile") {
  GpuTransposition size = matrix(4096, 4096);
  size.readStride = 1;
  CHECK(!chooseGpuTransposition(card(), size));
  size.readStride = 2; // a sector has four of eight elements that are needed
  CHECK(chooseGpuTransposition(card(), size));
}

TEST_CASE("what no block has room for is read element by element") {
  GpuFacts small = card();
  small.sharedBytes = 512;
  CHECK(!chooseGpuTransposition(small, matrix(4096, 4096)));
}
