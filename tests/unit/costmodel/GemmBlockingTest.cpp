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
  cpu.hasBf16Products = cpu.hasI8Products = cpu.hasBf16Tiles = cpu.hasI8Tiles = true;
  cpu.gemmTiles["gemm_f32"] = {{"mr", 12}, {"nr", 32}, {"mc", 144}, {"kc", 1024}};
  return cpu;
}

GemmBlocking packed(const Cpu &cpu, Element type, int64_t m, int64_t n, int64_t k,
                    bool mayUseAmx = false) {
  GemmShape shape{type, type, m, n, k};
  shape.isPacked = true;
  shape.mayUseAmx = mayUseAmx;
  return gemmBlocking(cpu, shape);
}

} // namespace

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
  CHECK(productForm(tiles, Element::bf16, Element::bf16) == ProductForm::amx);
  CHECK(vectorProductForm(tiles, Element::bf16, Element::bf16) == ProductForm::dotProduct);
  CHECK(productForm(tiles, Element::i8, Element::i8) == ProductForm::amx);
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
  cpu.hasSameSignI8Products = true;
  CHECK(productForm(cpu, Element::i8, Element::i8) == ProductForm::dotProduct);
  CHECK(cpu.multipliesBytes(true, true));
  CHECK(cpu.multipliesBytes(false, false));
  CHECK(!cpu.multipliesBytes(true, false));
  std::swap(cpu.hasSameSignI8Products, cpu.hasI8Products);
  CHECK(productForm(cpu, Element::i8, Element::i8) == ProductForm::dotProduct);
  CHECK(cpu.multipliesBytes(true, false));
  CHECK(!cpu.multipliesBytes(false, false));
}

TEST_CASE("blocks for AMX: rows of A fill half of L2, a panel of B two thirds of L1") {
  Cpu cpu = amx();
  GemmBlocking tile = packed(cpu, Element::bf16, 4096, 1024, 1024, /*mayUseAmx=*/true);
  CHECK(tile.usesAmx);
  CHECK(tile.mr == 32);
  CHECK(tile.nr == 32);
  CHECK(tile.mc == 256);
  CHECK(tile.kc == 512);
  CHECK(tile.kc * 2 * tile.nr <= cpu.l1dBytes * 2 / 3);
  CHECK(!packed(cpu, Element::bf16, 4096, 1024, 1024).usesAmx);
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
