// Tiles of products on graphics cards: that they fit, and which are better for which shapes.
#include "costmodel/GpuTiles.h"
#include "RoundCard.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

const GpuProduct products[] = {{1, 4096, 4096, 4096}, {1, 128, 768, 768}, {12, 197, 197, 64},
                               {1, 1, 1000, 1280},    {1, 1, 1, 1},       {1, 97, 131, 61},
                               {1, 12544, 32, 27},    {64, 3, 5, 7}};

} // namespace

TEST_CASE("a tile fits into a block of the card") {
  GpuFacts small = card();
  small.threadsOfBlock = 128;
  small.sharedBytes = 8 << 10;
  small.registers = 64;
  for (const GpuFacts &gpu : {card(), small})
    for (const GpuProduct &product : products) {
      GpuTile tile = chooseGpuTile(gpu, product);
      CHECK(tile.threads() <= gpu.threadsOfBlock);
      CHECK(tile.sharedBytes() <= gpu.sharedBytes);
      CHECK(tile.threadM * tile.threadN < gpu.registers);
      CHECK(tile.blockM % tile.threadM == 0);
      CHECK(tile.blockN % tile.threadN == 0);
    }
}

TEST_CASE("no tile takes fewer cycles than the one that is chosen") {
  const GpuTile others[] = {
      {128, 128, 16, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 16, 2, 2}, {16, 16, 16, 1, 1}};
  for (const GpuProduct &product : products)
    for (const GpuTile &tile : others)
      CHECK(gpuProductCycles(card(), product, chooseGpuTile(card(), product)).total() <=
            gpuProductCycles(card(), product, tile).total());
}

TEST_CASE("large products have large tiles, and small ones use all cores") {
  GpuTile large = chooseGpuTile(card(), products[0]), small = chooseGpuTile(card(), products[1]);
  CHECK(large.blockM * large.blockN >= 64 * 64);
  CHECK(large.threadM * large.threadN >= 16);
  CHECK(small.blockM * small.blockN < large.blockM * large.blockN);
}

TEST_CASE("a row has tiles of a row") {
  CHECK(chooseGpuTile(card(), {1, 1, 1000, 1280}).blockM <= 4);
  CHECK(chooseGpuTile(card(), {1, 1000, 1, 1280}).blockN <= 4);
}
