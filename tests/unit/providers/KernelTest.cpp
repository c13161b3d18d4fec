// Micro-kernels of all forms, from descriptor to results: next to guard pages, against sums in
// double precision.
#include "KernelCase.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace kgen::test;

namespace {

const char *const allTargets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16", "zen5"};

void check(const KernelCase &k) {
  if (!canRun(k.target))
    return;
  CAPTURE(k.provider, k.target, k.element, k.result, k.m, k.n, k.k, k.batch, k.vnni, k.aCol,
          k.dotProducts, k.padded, k.accumulate, k.sequential, static_cast<int>(k.epilogue),
          k.extra);
  CHECK(runKernel(k) == "");
}

KernelCase vectorKernel(const char *target, const char *element, int64_t m, int64_t n, int64_t k) {
  return {"vector", target, element, std::string(element) == "bf16" ? "f32" : element, m, n, k};
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
          kernel.sequential = n == 40;
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
          kernel.sequential = variant == 2;
          kernel.aCol = m == 3 ? 3 : 1;
          check(kernel);
        }
}

TEST_CASE("several products") {
  for (const char *target : allTargets)
    for (const char *element : {"f32", "f64", "i32", "i64", "bf16"})
      for (int64_t k : {1, 2, 9})
        for (bool sequential : {false, true}) {
          KernelCase kernel = vectorKernel(target, element, 4, 21, k);
          kernel.batch = 5;
          kernel.sequential = sequential;
          kernel.vnni = kernel.element == "bf16" && sequential ? 2 : 1;
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
