// Twelve independent chains of one instruction: more than latency times throughput of any x86-64
// core. The compiler knows nothing about the values, and cannot drop the sums.
#include "backend/x86/X86.h"

#include <immintrin.h>

namespace kgen::x86 {
namespace {

constexpr int chains = 12, steps = 4096;

/// A loop of `step` on `chains` sums of `type`; `lanes` times two operations each.
#define CHAIN_LOOP(name, features, type, zero, step)                                               \
  __attribute__((target(features))) void name() {                                                  \
    type sums[chains], x = zero, y = zero;                                                         \
    asm volatile("" : "+v"(x), "+v"(y));                                                           \
    for (type & sum : sums)                                                                        \
      sum = zero;                                                                                  \
    for (int i = 0; i < steps; ++i) {                                                              \
      _Pragma("GCC unroll 12") for (type & sum : sums) sum = step;                                 \
      asm volatile("" : "+v"(x)); /* no sum is known before the loop has run */                    \
    }                                                                                              \
    for (type & sum : sums)                                                                        \
      asm volatile("" ::"v"(sum));                                                                 \
  }

// A product of its own for each sum: common ones would be computed once.
CHAIN_LOOP(mulAddPs, "sse2", __m128, _mm_setzero_ps(), _mm_add_ps(x, _mm_mul_ps(sum, y)))
CHAIN_LOOP(mulAddPd, "sse2", __m128d, _mm_setzero_pd(), _mm_add_pd(x, _mm_mul_pd(sum, y)))
CHAIN_LOOP(fmaPs256, "avx2,fma", __m256, _mm256_setzero_ps(), _mm256_fmadd_ps(x, y, sum))
CHAIN_LOOP(fmaPd256, "avx2,fma", __m256d, _mm256_setzero_pd(), _mm256_fmadd_pd(x, y, sum))
CHAIN_LOOP(fmaPs512, "avx512f", __m512, _mm512_setzero_ps(), _mm512_fmadd_ps(x, y, sum))
CHAIN_LOOP(fmaPd512, "avx512f", __m512d, _mm512_setzero_pd(), _mm512_fmadd_pd(x, y, sum))
CHAIN_LOOP(fmaPh512, "avx512fp16", __m512h, _mm512_setzero_ph(), _mm512_fmadd_ph(x, y, sum))
CHAIN_LOOP(dotI8Avx, "avxvnni", __m256i, _mm256_setzero_si256(), _mm256_dpbusd_avx_epi32(sum, x, y))
CHAIN_LOOP(dotI8256, "avx512f,avx512vl,avx512vnni", __m256i, _mm256_setzero_si256(),
           _mm256_dpbusd_epi32(sum, x, y))
CHAIN_LOOP(dotI8512, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
           _mm512_dpbusd_epi32(sum, x, y))

// Here a sum waits for an addition only: the same product again, which the compiler does not see.
#define PAIRS(name, features, type, zero, add, multiply)                                           \
  CHAIN_LOOP(name, features, type, zero, ({                                                        \
               asm("" : "+v"(x));                                                                  \
               add(sum, multiply(x, y));                                                           \
             }))
PAIRS(pairsI16, "sse2", __m128i, _mm_setzero_si128(), _mm_add_epi32, _mm_madd_epi16)
PAIRS(pairsI16Of256, "avx2", __m256i, _mm256_setzero_si256(), _mm256_add_epi32, _mm256_madd_epi16)
PAIRS(pairsI16Of512, "avx512f,avx512bw", __m512i, _mm512_setzero_si512(), _mm512_add_epi32,
      _mm512_madd_epi16)
PAIRS(pairsI8, "ssse3", __m128i, _mm_setzero_si128(), _mm_add_epi16, _mm_maddubs_epi16)
PAIRS(pairsI8Of256, "avx2", __m256i, _mm256_setzero_si256(), _mm256_add_epi16, _mm256_maddubs_epi16)
PAIRS(pairsI8Of512, "avx512f,avx512bw", __m512i, _mm512_setzero_si512(), _mm512_add_epi16,
      _mm512_maddubs_epi16)
#undef PAIRS
#undef CHAIN_LOOP

__attribute__((target("avx512f,avx512bf16"))) void dotBf16() {
  __m512 sums[chains];
  __m512i x = _mm512_setzero_si512(), y = x;
  asm volatile("" : "+v"(x), "+v"(y));
  for (__m512 &sum : sums)
    sum = _mm512_setzero_ps();
  for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (__m512 &sum : sums)
      sum = _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)y);
    asm volatile("" : "+v"(x));
  }
  for (__m512 &sum : sums)
    asm volatile("" ::"v"(sum));
}

/// Four tiles of sums from two of each factor, as kernels use them.
struct alignas(64) TileShape {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

const TileShape tileShape;
constexpr int tileSteps = 512;

#define TILE_LOOP(name, features, dot)                                                             \
  __attribute__((target("amx-tile," features))) void name() {                                      \
    _tile_loadconfig(&tileShape);                                                                  \
    _tile_zero(0);                                                                                 \
    _tile_zero(1);                                                                                 \
    _tile_zero(2);                                                                                 \
    _tile_zero(3);                                                                                 \
    _tile_zero(4);                                                                                 \
    _tile_zero(5);                                                                                 \
    _tile_zero(6);                                                                                 \
    _tile_zero(7);                                                                                 \
    for (int i = 0; i < tileSteps; ++i) {                                                          \
      dot(0, 4, 6);                                                                                \
      dot(1, 4, 7);                                                                                \
      dot(2, 5, 6);                                                                                \
      dot(3, 5, 7);                                                                                \
    }                                                                                              \
    _tile_release();                                                                               \
  }

TILE_LOOP(tileBf16, "amx-bf16", _tile_dpbf16ps)
TILE_LOOP(tileI8, "amx-int8", _tile_dpbusd)
#undef TILE_LOOP

constexpr double chainOperations = 2.0 * chains * steps;
constexpr double tileOperations = 2.0 * 4 * tileSteps * 16 * 16; ///< times the length of a dot

std::vector<PeakInstruction> floatInstructions() {
  return {
      {"mulps+addps xmm",
       {},
       "mulps",
       "",
       128,
       {"f32", "bf16", "f16"},
       4 * chainOperations,
       mulAddPs},
      {"mulpd+addpd xmm", {}, "mulpd", "", 128, {"f64"}, 2 * chainOperations, mulAddPd},
      {"vfmaddps ymm",
       {"avx2", "fma"},
       "vfmadd",
       "ps",
       256,
       {"f32", "bf16", "f16"},
       8 * chainOperations,
       fmaPs256},
      {"vfmaddpd ymm",
       {"avx2", "fma"},
       "vfmadd",
       "pd",
       256,
       {"f64"},
       4 * chainOperations,
       fmaPd256},
      {"vfmaddps zmm",
       {"avx512f"},
       "vfmadd",
       "ps",
       512,
       {"f32", "bf16", "f16"},
       16 * chainOperations,
       fmaPs512},
      {"vdpbf16ps zmm",
       {"avx512bf16"},
       "vdpbf16ps",
       "",
       512,
       {"bf16", "f32"},
       32 * chainOperations,
       dotBf16},
      {"vfmaddpd zmm", {"avx512f"}, "vfmadd", "pd", 512, {"f64"}, 8 * chainOperations, fmaPd512},
      {"vfmaddph zmm",
       {"avx512fp16"},
       "vfmadd",
       "ph",
       512,
       {"f16"},
       32 * chainOperations,
       fmaPh512},
  };
}

std::vector<PeakInstruction> pairInstructions() {
  return {
      {"pmaddwd+paddd xmm", {}, "pmaddwd", "", 128, {"i8", "i32"}, 8 * chainOperations, pairsI16},
      {"vpmaddwd+vpaddd ymm",
       {"avx2"},
       "vpmaddwd",
       "",
       256,
       {"i8", "i32"},
       16 * chainOperations,
       pairsI16Of256},
      {"vpmaddwd+vpaddd zmm",
       {"avx512bw"},
       "vpmaddwd",
       "",
       512,
       {"i8", "i32"},
       32 * chainOperations,
       pairsI16Of512},
      {"pmaddubsw+paddw xmm",
       {"ssse3"},
       "pmaddubsw",
       "",
       128,
       {"i8", "i32"},
       16 * chainOperations,
       pairsI8},
      {"vpmaddubsw+vpaddw ymm",
       {"avx2"},
       "vpmaddubsw",
       "",
       256,
       {"i8", "i32"},
       32 * chainOperations,
       pairsI8Of256},
      {"vpmaddubsw+vpaddw zmm",
       {"avx512bw"},
       "vpmaddubsw",
       "",
       512,
       {"i8", "i32"},
       64 * chainOperations,
       pairsI8Of512},
  };
}

std::vector<PeakInstruction> dotAndTileInstructions() {
  return {
      {"vpdpbusd ymm",
       {"avxvnni"},
       "vpdp",
       "d",
       256,
       {"i8", "i32"},
       32 * chainOperations,
       dotI8Avx},
      {"vpdpbusd ymm of AVX-512",
       {"avx512vl", "avx512vnni"},
       "vpdp",
       "d",
       256,
       {"i8", "i32"},
       32 * chainOperations,
       dotI8256},
      {"vpdpbusd zmm",
       {"avx512vnni"},
       "vpdp",
       "d",
       512,
       {"i8", "i32"},
       64 * chainOperations,
       dotI8512},
      {"tdpbf16ps",
       {"amx-tile", "amx-bf16"},
       "tdpbf16ps",
       "",
       0,
       {"bf16", "f32"},
       32 * tileOperations,
       tileBf16},
      {"tdpbusd",
       {"amx-tile", "amx-int8"},
       "tdpb",
       "d",
       0,
       {"i8", "i32"},
       64 * tileOperations,
       tileI8},
  };
}

} // namespace

const std::vector<PeakInstruction> &peakInstructions() {
  static const std::vector<PeakInstruction> table = [] {
    std::vector<PeakInstruction> all = floatInstructions();
    for (const auto &more : {pairInstructions(), dotAndTileInstructions()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return table;
}

} // namespace kgen::x86
