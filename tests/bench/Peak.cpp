// Twelve independent chains of FMAs: more than latency times throughput of any x86-64 core.
#include "Peak.h"
#include "Clock.h"

#include <immintrin.h>

namespace bench {
namespace {
constexpr int chains = 12, steps = 4096, rounds = 16;

__attribute__((target("avx512f"))) float chains512(float start) {
  __m512 factor = _mm512_set1_ps(0.999f), sums[chains];
  for (int c = 0; c < chains; c++)
    sums[c] = _mm512_set1_ps(start + static_cast<float>(c));
  for (int step = 0; step < steps; step++)
#pragma GCC unroll 12
    for (int c = 0; c < chains; c++)
      sums[c] = _mm512_fmadd_ps(sums[c], factor, factor);
  for (int c = 1; c < chains; c++)
    sums[0] = _mm512_add_ps(sums[0], sums[c]);
  return _mm512_cvtss_f32(sums[0]);
}

__attribute__((target("avx2,fma"))) float chains256(float start) {
  __m256 factor = _mm256_set1_ps(0.999f), sums[chains];
  for (int c = 0; c < chains; c++)
    sums[c] = _mm256_set1_ps(start + static_cast<float>(c));
  for (int step = 0; step < steps; step++)
#pragma GCC unroll 12
    for (int c = 0; c < chains; c++)
      sums[c] = _mm256_fmadd_ps(sums[c], factor, factor);
  for (int c = 1; c < chains; c++)
    sums[0] = _mm256_add_ps(sums[0], sums[c]);
  return _mm256_cvtss_f32(sums[0]);
}
} // namespace

double fmaRate(Isa isa) {
  volatile float sink = 1;
  double start = now();
  for (int round = 0; round < rounds; round++)
    sink = isa == Isa::avx512 ? chains512(sink) : chains256(sink);
  double flops = 2.0 * (isa == Isa::avx512 ? 16 : 8) * chains * steps * rounds;
  return flops / (now() - start) * 1e-9;
}

} // namespace bench
