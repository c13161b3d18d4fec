// Micro-kernels of all forms, from descriptor to results: next to guard pages, against sums in
// double precision.
#include "KernelCase.h"

#include "lib/Share.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace kgen::test;

namespace {

const char *const allTargets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "zen5"};

/// Checks one kernel of four, each day others.
void check(const KernelCase &k) {
  static const Share share(4);
  static uint64_t number = 0;
  if (!canRun(k.target) || !share.has(number++))
    return;
  INFO(share.str());
  CAPTURE(k.provider, k.target, k.element, k.result, k.m, k.n, k.k, k.batch, k.vnni, k.aCol,
          k.streams, k.dotProducts, k.padded, k.accumulate, k.strictOrder, k.aUnsigned, k.bUnsigned,
          static_cast<int>(k.epilogue), k.extra);
  CHECK(runKernel(k) == "");
}

KernelCase vectorKernel(const char *target, const char *element, int64_t m, int64_t n, int64_t k) {
  return {"vector", target, element, std::string(element) == "bf16" ? "f32" : element, m, n, k};
}

/// `signs`: whether A (1) and B (2) are unsigned.
KernelCase byteKernel(const char *target, int64_t m, int64_t n, int64_t k, int signs) {
  KernelCase kernel{"vector", target, "i8", "i32", m, n, k};
  kernel.vnni = 4;
  kernel.aUnsigned = signs & 1;
  kernel.bUnsigned = signs & 2;
  return kernel;
}

KernelCase xsmmKernel(const char *target, const char *element, int64_t m, int64_t n, int64_t k) {
  KernelCase kernel = vectorKernel(target, element, m, n, k);
  kernel.provider = "xsmm";
  kernel.vnni = kernel.element == "bf16" ? 2 : 1;
  return kernel;
}

struct Shape {
  int64_t m, n, k;
};

const Shape shapes[] = {{1, 1, 1}, {1, 16, 2}, {3, 13, 7}, {6, 32, 33}, {12, 32, 64}, {2, 40, 5}};

const char *const byteTargets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4",
                                   "x86-64-v4-vnni"};

/// Blocks of k have 256 values.
const Shape byteShapes[] = {{1, 1, 1},  {2, 2, 3},     {1, 16, 2},    {3, 13, 71}, {6, 32, 33},
                            {4, 3, 64}, {12, 32, 255}, {1, 32, 1030}, {7, 40, 517}};

} // namespace

TEST_CASE("products of floats and integers") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64", "i32", "i64"})
      for (auto [m, n, k] : shapes)
        for (bool accumulate : {false, true}) {
          KernelCase kernel = vectorKernel(target, element, m, n, k);
          kernel.accumulate = accumulate;
          kernel.padded = accumulate;
          kernel.aCol = m == 3 ? 2 : 1;
          kernel.strictOrder = n == 40;
          check(kernel);
        }
}

TEST_CASE("several access streams of B") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64", "i32", "bf16"})
      for (auto [m, n, k] :
           {Shape{1, 32, 3}, {1, 32, 517}, {2, 13, 64}, {4, 32, 131}, {9, 16, 300}})
        for (int64_t streams : {1, 2, 3, 4}) {
          KernelCase kernel = vectorKernel(target, element, m, n, k);
          kernel.streams = streams;
          kernel.accumulate = streams == 2;
          kernel.padded = streams != 1;
          kernel.strictOrder = streams == 3 && m == 1;
          kernel.aCol = m == 2 ? 2 : 1;
          kernel.epilogue = m == 4 ? Epilogue::column : Epilogue::none;
          check(kernel);
        }
}

TEST_CASE("products of bf16") {
  for (const char *target : allTargets)
    for (int64_t vnni : {1, 2})
      for (auto [m, n, k] : shapes)
        for (int variant = 0; variant < 3; ++variant) {
          KernelCase kernel = vectorKernel(target, "bf16", m, n, k);
          kernel.vnni = vnni;
          kernel.accumulate = variant == 1;
          kernel.padded = variant == 1;
          kernel.strictOrder = variant == 2;
          kernel.aCol = m == 3 ? 3 : 1;
          check(kernel);
        }
}

TEST_CASE("products of bytes") {
  for (const char *target : byteTargets)
    for (auto [m, n, k] : byteShapes)
      for (int signs = 0; signs < 4; ++signs)
        for (bool padded : {false, true}) {
          KernelCase kernel = byteKernel(target, m, n, k, signs);
          kernel.padded = padded;
          kernel.accumulate = padded && signs % 2 == 1;
          kernel.aCol = m == 3 ? 2 : 1;
          check(kernel);
        }
}

TEST_CASE("several products of bytes, and epilogues that store other types") {
  for (const char *target : byteTargets)
    for (int signs = 0; signs < 4; ++signs)
      for (int64_t k : {1, 6, 300})
        for (const char *result : {"i32", "i8"}) {
          KernelCase kernel = byteKernel(target, 5, 21, k, signs);
          kernel.batch = 3;
          kernel.padded = true;
          kernel.result = result;
          kernel.epilogue = Epilogue::column;
          check(kernel);
        }
}

TEST_CASE("several products") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64", "i32", "i64", "bf16"})
      for (int64_t k : {1, 2, 9})
        for (bool strictOrder : {false, true}) {
          KernelCase kernel = vectorKernel(target, element, 4, 21, k);
          kernel.batch = 5;
          kernel.strictOrder = strictOrder;
          kernel.vnni = kernel.element == "bf16" && strictOrder ? 2 : 1;
          kernel.accumulate = k == 2;
          check(kernel);
        }
}

TEST_CASE("dot products") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64"})
      for (auto [m, n, k] :
           {Shape{1, 1, 2}, {1, 1, 100}, {1, 4, 67}, {3, 2, 130}, {4, 4, 64}, {2, 5, 3}})
        for (bool accumulate : {false, true}) {
          KernelCase kernel = vectorKernel(target, element, m, n, k);
          kernel.dotProducts = true;
          kernel.accumulate = accumulate;
          kernel.batch = accumulate ? 3 : 1;
          kernel.epilogue = accumulate ? Epilogue::none : Epilogue::column;
          check(kernel);
        }
}

TEST_CASE("epilogues") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64", "bf16", "i32"})
      for (Epilogue epilogue :
           {Epilogue::row, Epilogue::column, Epilogue::scalar, Epilogue::full, Epilogue::gelu})
        for (int64_t n : {16, 21}) {
          KernelCase kernel = vectorKernel(target, element, 5, n, 6);
          if (kernel.element[0] == 'i' && epilogue == Epilogue::gelu)
            continue;
          kernel.epilogue = epilogue;
          check(kernel);
          kernel.accumulate = true;
          check(kernel);
        }
}

TEST_CASE("epilogues in bf16") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "bf16"})
      for (Epilogue epilogue : {Epilogue::none, Epilogue::row, Epilogue::column, Epilogue::scalar,
                                Epilogue::full, Epilogue::gelu})
        for (const char *extra : {"f32", "bf16"}) {
          KernelCase kernel = vectorKernel(target, element, 5, 21, 7);
          kernel.vnni = kernel.element == "bf16" ? 2 : 1;
          kernel.result = "bf16";
          kernel.epilogue = epilogue;
          kernel.extra = extra;
          check(kernel);
        }
}

TEST_CASE("libxsmm's products") {
  for (const char *target : {"x86-64-v3", "x86-64-v4", "x86-64-v4-bf16"})
    for (const char *element : {"f32", "f64", "bf16"})
      for (auto [m, n, k] :
           {Shape{1, 16, 2}, {3, 13, 6}, {6, 32, 34}, {12, 32, 64}, {7, 1, 4}, {2, 40, 1000}})
        for (int variant = 0; variant < 4; ++variant) {
          KernelCase kernel = xsmmKernel(target, element, m, n, k);
          bool isV3 = kernel.target == "x86-64-v3";
          if (isV3 && (kernel.element == "bf16" || n % 8 != 0))
            continue;
          kernel.accumulate = variant % 2 == 1;
          kernel.batch = variant >= 2 ? 5 : 1;
          kernel.padded = variant == 3;
          check(kernel);
        }
}

TEST_CASE("libxsmm's products with epilogues") {
  for (const char *target : {"x86-64-v4", "x86-64-v4-bf16"})
    for (const char *element : {"f32", "bf16"})
      for (Epilogue epilogue : {Epilogue::none, Epilogue::row, Epilogue::column, Epilogue::scalar,
                                Epilogue::full, Epilogue::gelu})
        for (const char *result : {"f32", "bf16"}) {
          KernelCase kernel = xsmmKernel(target, element, 5, 21, 8);
          kernel.batch = 3;
          kernel.result = result;
          kernel.epilogue = epilogue;
          kernel.extra = result;
          check(kernel);
        }
}

namespace {

/// Of tiles: whole, a few rows, a few columns, several of a register's width, and more k than one.
const Shape tileShapes[] = {{1, 1, 1},    {1, 16, 2},   {3, 13, 7},   {16, 16, 64}, {32, 32, 128},
                            {31, 29, 97}, {33, 16, 40}, {64, 9, 130}, {17, 32, 31}, {5, 32, 200}};

KernelCase tileKernel(const char *element, const Shape &shape) {
  bool isBf16 = std::string(element) == "bf16";
  KernelCase kernel{"amx",   "x86-64-v4-amx", element, isBf16 ? "f32" : "i32",
                    shape.m, shape.n,         shape.k};
  kernel.vnni = isBf16 ? 2 : 4;
  return kernel;
}

} // namespace

TEST_CASE("products in tile registers") {
  for (const char *element : {"bf16", "i8"})
    for (const Shape &shape : tileShapes)
      for (int variant = 0; variant < 4; ++variant) {
        KernelCase kernel = tileKernel(element, shape);
        kernel.accumulate = variant % 2 == 1;
        kernel.batch = variant >= 2 ? 3 : 1;
        kernel.padded = variant == 3;
        kernel.aUnsigned = kernel.element == "i8" && variant % 2 == 1;
        kernel.bUnsigned = kernel.element == "i8" && variant >= 2;
        check(kernel);
      }
}

TEST_CASE("products in tile registers with epilogues") {
  for (const char *element : {"bf16", "i8"})
    for (Epilogue epilogue :
         {Epilogue::row, Epilogue::column, Epilogue::scalar, Epilogue::full, Epilogue::gelu})
      for (const Shape &shape : {Shape{5, 21, 40}, {32, 32, 64}})
        for (bool narrow : {false, true}) {
          KernelCase kernel = tileKernel(element, shape);
          if (kernel.element == "i8" && (epilogue == Epilogue::gelu || narrow))
            continue;
          kernel.epilogue = epilogue;
          if (narrow)
            kernel.result = kernel.extra = "bf16";
          check(kernel);
        }
}
