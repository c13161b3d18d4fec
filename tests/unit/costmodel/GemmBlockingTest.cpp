// Register tiles, cache blocks and product instructions of contractions.
#include "costmodel/GemmBlocking.h"
#include "costmodel/Products.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

Cpu avx2() {
  Cpu cpu;
  cpu.vectorBits = 256;
  cpu.vectorRegisters = 16;
  cpu.l1dBytes = 32 << 10;
  cpu.l2Bytes = 512 << 10;
  cpu.hasFma = cpu.hasF16Conversion = true;
  cpu.costs = {{"fma_f32", 0.5}, {"widen_bf16", 0.67}, {"convert_f16", 1}};
  cpu.gemmTiles["gemm_f32"] = {{"mr", 6}, {"nr", 16}, {"mc", 144}, {"kc", 1024}};
  cpu.gemmTiles["gemm_f64"] = {{"mr", 6}, {"nr", 8}, {"mc", 144}, {"kc", 1024}};
  return cpu;
}

Cpu amx() {
  Cpu cpu = avx2();
  cpu.vectorBits = 512;
  cpu.vectorRegisters = 32;
  cpu.l1dBytes = 48 << 10;
  cpu.l2Bytes = 2 << 20;
  cpu.products = {{Element::bf16, 1, 1, 2},
                  {Element::i8, 1, 1, 4, Product::Signs::unequal},
                  {Element::bf16, 16, 16, 32, Product::Signs::any, /*inTiles=*/true},
                  {Element::i8, 16, 16, 64, Product::Signs::any, /*inTiles=*/true}};
  cpu.gemmTiles["gemm_f32"] = {{"mr", 12}, {"nr", 32}, {"mc", 144}, {"kc", 1024}};
  return cpu;
}

Cpu matrices() {
  Cpu cpu = avx2();
  cpu.vectorBits = 128;
  cpu.vectorRegisters = 32;
  cpu.products = {{Element::bf16, 1, 1, 2},
                  {Element::bf16, 2, 2, 4},
                  {Element::i8, 1, 1, 4, Product::Signs::equal},
                  {Element::i8, 2, 2, 8}};
  return cpu;
}

GemmBlocking packed(const Cpu &cpu, Element type, int64_t m, int64_t n, int64_t k,
                    bool mayUseTiles = false) {
  GemmShape shape{type, type, m, n, k};
  shape.isPacked = true;
  shape.mayUseTiles = mayUseTiles;
  return gemmBlocking(cpu, shape);
}

} // namespace

TEST_CASE("tiles on panels divide them, whatever a target's tile has") {
  for (int64_t nr = 1; nr <= 64; ++nr) {
    Cpu cpu = avx2();
    cpu.gemmTiles["gemm_f32"]["nr"] = cpu.gemmTiles["gemm_f64"]["nr"] = nr;
    for (Element type : {Element::f32, Element::f64, Element::bf16, Element::i8})
      for (int64_t m : {1, 3, 128})
        for (int64_t n : {1, 5, 24, 1000}) {
          GemmBlocking blocking = packed(cpu, type, m, n, 256);
          INFO("nr " << nr << ", m " << m << ", n " << n);
          CHECK(blocking.panel % blocking.nr == 0);
        }
  }
  Cpu wide = avx2();
  wide.gemmTiles["gemm_f32"] = {{"mr", 4}, {"nr", 24}, {"mc", 144}, {"kc", 1024}};
  CHECK(packed(wide, Element::f32, 128, 1000, 256).nr == 16);
  CHECK(gemmBlocking(wide, {Element::f32, Element::f32, 128, 1000, 256}).nr == 24);
}

TEST_CASE("measured tiles, and panels of two cache lines of sums") {
  GemmBlocking f32 = packed(avx2(), Element::f32, 128, 1024, 1024);
  CHECK(f32.mr == 6);
  CHECK(f32.nr == 16);
  CHECK(f32.panel == 32);
  CHECK(f32.accumulators == 12);
  CHECK(f32.mc == 144);
  CHECK(f32.kc == 1024);
  GemmBlocking f64 = packed(avx2(), Element::f64, 128, 1024, 4096);
  CHECK(f64.nr == 8);
  CHECK(f64.panel == 16);
  CHECK(f64.kc == 1024);
  // Few columns: panels of their own width, and as many rows as there are accumulators for.
  GemmBlocking narrow = packed(avx2(), Element::f32, 128, 3, 64);
  CHECK(narrow.panel == 4);
  CHECK(narrow.nr == 4);
  CHECK(narrow.mr == 12);
}

TEST_CASE("a remainder of less than half a block of k is part of the last one") {
  CHECK(packed(avx2(), Element::f32, 128, 64, 1535).kc == 1535);
  CHECK(packed(avx2(), Element::f32, 128, 64, 1536).kc == 1024);
}

TEST_CASE("few rows take all of a panel if the registers allow it") {
  CHECK(packed(avx2(), Element::f32, 1, 1024, 256).nr == 32);
  CHECK(packed(avx2(), Element::f32, 4, 1024, 256).nr == 16);
}

TEST_CASE("register tiles fit the registers for every type and number of rows") {
  for (const Cpu &cpu : {avx2(), amx()})
    for (Element type : {Element::i8, Element::f16, Element::bf16, Element::f32, Element::f64})
      for (int64_t m : {0, 1, 2, 5, 6, 7, 64, 1000})
        for (int64_t n : {1, 3, 16, 33, 512}) {
          GemmBlocking tile = packed(cpu, type, m, n, 100);
          int64_t vectors =
              (tile.nr + lanes(cpu, accumulatorOf(type)) - 1) / lanes(cpu, accumulatorOf(type));
          CHECK(tile.mr >= 1);
          CHECK(tile.nr <= tile.panel);
          CHECK(tile.mr * vectors < cpu.vectorRegisters);
        }
}

TEST_CASE("product instructions are the cheapest that the features allow") {
  Cpu plain = avx2(), tiles = amx();
  CHECK(productForm(plain, Element::f32, Element::f32) == ProductForm::multiplyAdd);
  CHECK(productForm(plain, Element::bf16, Element::bf16) == ProductForm::upconvert);
  CHECK(productForm(plain, Element::i8, Element::i8) == ProductForm::multiplyAddI16);
  CHECK(productForm(tiles, Element::bf16, Element::bf16) == ProductForm::tile);
  CHECK(vectorProductForm(tiles, Element::bf16, Element::bf16) == ProductForm::dotProduct);
  CHECK(productForm(tiles, Element::i8, Element::i8) == ProductForm::tile);
  CHECK(productForm(tiles, Element::f32, Element::bf16) == ProductForm::upconvert);
  tiles.costs["dot_bf16"] = 64;
  CHECK(vectorProductForm(tiles, Element::bf16, Element::bf16) == ProductForm::upconvert);
  tiles.costs["tile_bf16"] = 1e6;
  CHECK(productForm(tiles, Element::bf16, Element::bf16) == ProductForm::upconvert);
  CHECK(!prefersF16Accumulate(tiles, Element::f16, Element::f16));
  tiles.hasF16Arithmetic = true;
  CHECK(prefersF16Accumulate(tiles, Element::f16, Element::f16));
}

TEST_CASE("dot products of bytes take the signs that the CPU has instructions for") {
  Cpu cpu = avx2();
  cpu.products = {{Element::i8, 1, 1, 4, Product::Signs::equal}};
  CHECK(productForm(cpu, Element::i8, Element::i8) == ProductForm::dotProduct);
  CHECK(cpu.multipliesBytes(true, true));
  CHECK(cpu.multipliesBytes(false, false));
  CHECK(!cpu.multipliesBytes(true, false));
  cpu.products.front().signs = Product::Signs::unequal;
  CHECK(productForm(cpu, Element::i8, Element::i8) == ProductForm::dotProduct);
  CHECK(cpu.multipliesBytes(true, false));
  CHECK(!cpu.multipliesBytes(false, false));
}

TEST_CASE("matrix products are taken where they are cheaper than dot products") {
  Cpu cpu = matrices();
  for (Element element : {Element::bf16, Element::i8}) {
    CHECK(productForm(cpu, element, element) == ProductForm::matrix);
    CHECK(vectorProductForm(cpu, element, element) == ProductForm::dotProduct);
    CHECK(productCost(cpu, ProductForm::matrix, element, element) ==
          productCost(cpu, ProductForm::dotProduct, element, element) / 2);
  }
  CHECK(productForm(cpu, Element::f32, Element::bf16) == ProductForm::upconvert);
  cpu.costs["matrix_i8"] = 1; // twice the time of a dot product, for twice the products
  CHECK(productForm(cpu, Element::i8, Element::i8) == ProductForm::dotProduct);
  CHECK(!cpu.hasTileRegisters());
  CHECK(amx().hasTileRegisters());
}

TEST_CASE("packed B has the groups of k of the instruction that is chosen") {
  Cpu cpu = matrices();
  CHECK(packedDepth(cpu, Element::i8, Element::i8, false) == 8);
  CHECK(packedDepth(cpu, Element::i8, Element::i8, /*strictOrder=*/true) == 8); // exact
  CHECK(packedDepth(cpu, Element::bf16, Element::bf16, false) == 4);
  CHECK(packedDepth(cpu, Element::bf16, Element::bf16, /*strictOrder=*/true) == 2);
  CHECK(packedDepth(cpu, Element::f32, Element::bf16, false) == 2);
  CHECK(packedDepth(cpu, Element::f32, Element::f32, false) == 1);
  CHECK(packedDepth(avx2(), Element::i8, Element::i8, false) == 4); // as on targets with dots
  CHECK(packedDepth(amx(), Element::bf16, Element::bf16, false) == 2);
  CHECK(matrixProduct(cpu, Element::i8, Element::i8, 8));
  CHECK(!matrixProduct(cpu, Element::i8, Element::i8, 4));
  CHECK(!matrixProduct(cpu, Element::f32, Element::bf16, 4));
  CHECK(!matrixProduct(amx(), Element::i8, Element::i8, 64));
}

TEST_CASE("a register tile that was chosen without sizes has the blocks of all sizes") {
  for (const Cpu &cpu : {avx2(), amx(), matrices()})
    for (Element type : {Element::f32, Element::bf16, Element::i8})
      for (bool isPacked : {false, true})
        for (int64_t m : {1, 7, 64, 1000}) {
          GemmShape shape{type, type}, sized{type, type, m, 96, 513};
          shape.isPacked = sized.isPacked = isPacked;
          shape.mayUseTiles = sized.mayUseTiles = true;
          GemmBlocking blocking = gemmBlocking(cpu, sized, gemmTile(cpu, shape)),
                       asked = gemmBlocking(cpu, sized);
          CHECK(blocking.mr == asked.mr);
          CHECK(blocking.nr == asked.nr);
          CHECK(blocking.mc == asked.mc);
          CHECK(blocking.kc == asked.kc);
          CHECK(blocking.usesTiles == asked.usesTiles);
        }
}

TEST_CASE("tiles of matrix products: two rows in an instruction, four vectors of columns") {
  Cpu cpu = matrices();
  GemmShape shape{Element::i8, Element::i8, 64, 256, 512};
  shape.isPacked = true;
  CHECK(gemmBlocking(cpu, shape).rowGrain == 1); // groups of four
  shape.depth = 8;
  GemmBlocking tile = gemmBlocking(cpu, shape);
  CHECK(tile.rowGrain == 2);
  CHECK(!tile.usesTiles);
  CHECK(tile.mr == 4);
  CHECK(tile.nr == 16);
  CHECK(tile.kc == 512);
  cpu.gemmTiles["matrix_i8"] = {{"mr", 6}, {"nr", 16}, {"mc", 96}, {"kc", 1024}};
  CHECK(gemmBlocking(cpu, shape).mr == 6);
  cpu.gemmTiles["gemm_i8"] = {{"mr", 5}, {"nr", 16}, {"mc", 95}, {"kc", 1024}};
  CHECK(gemmBlocking(cpu, shape).mr == 6);
  shape.depth = 4;
  CHECK(gemmBlocking(cpu, shape).mr == 5);
}

TEST_CASE("blocks for AMX: rows of A fill half of L2, a panel of B two thirds of L1") {
  Cpu cpu = amx();
  GemmBlocking tile = packed(cpu, Element::bf16, 4096, 1024, 1024, /*mayUseTiles=*/true);
  CHECK(tile.usesTiles);
  CHECK(tile.rowGrain == 16);
  CHECK(tile.mr == 32);
  CHECK(tile.nr == 32);
  CHECK(tile.mc == 256);
  CHECK(tile.kc == 512);
  CHECK(tile.kc * 2 * tile.nr <= cpu.l1dBytes * 2 / 3);
  CHECK(!packed(cpu, Element::bf16, 4096, 1024, 1024).usesTiles);
}

TEST_CASE("panels are up-converted once where several tiles of rows read them") {
  Cpu cpu = avx2();
  auto blocking = [&](int64_t m) {
    GemmBlocking inRegisters = packed(cpu, Element::bf16, m, 1024, 1024);
    return upconversionBlocking(cpu, inRegisters, Element::bf16, m, 1024, 1024, false);
  };
  CHECK(!blocking(4));
  REQUIRE(blocking(256));
  CHECK(blocking(256)->columns % 32 == 0);
  CHECK(blocking(256)->kc % 2 == 0);
  CHECK(blocking(256)->kc * blocking(256)->bytesOfRow() <= maxUpconvertedBytes(cpu));
}
