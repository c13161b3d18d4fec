// libxsmm's generator as one function from a GEMM to bytes of x86-64 machine code.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

namespace kgen {

/// C (m x n) = A (m x k) * B (k x n), plus C if `accumulate`; all row-major with the leading
/// dimensions `aRow`, `bRow` and `cRow` in elements. bf16 has an even k and aRow, B in pairs of k
/// (row k / 2 holds two values for each column, `bRow` counts columns) and sums in f32, which C has
/// too.
struct LibxsmmGemm {
  enum class Isa { avx2, avx512, avx512bf16 };
  enum class Element { f32, f64, bf16 };

  Isa isa = Isa::avx2;
  Element element = Element::f32; ///< bf16 only for the AVX-512 ones
  int64_t m = 0, n = 0, k = 0, aRow = 0, bRow = 0, cRow = 0;
  bool accumulate = false;
  /// The function has a fourth argument: an address that advances with B and is prefetched into L2.
  /// AVX2 code ignores it.
  bool prefetch = false;
  /// The function adds up products with strides of `aBatch` and `bBatch` elements between their A
  /// and B; its fourth argument is the address of their number (64 bits, at least 1). Not with
  /// `prefetch`.
  bool batchReduce = false;
  int64_t aBatch = 0, bBatch = 0;
};

/// A function of the System V ABI with the arguments B, A, C, in this order. It needs no
/// relocation, returns without vzeroupper, and accesses no memory outside the matrices if n is a
/// multiple of the vector length or the ISA is AVX-512. The bytes depend
/// on the argument only: not on the environment, nor on this machine's CPU. Safe to call from
/// several threads.
llvm::Expected<std::string> libxsmmCode(const LibxsmmGemm &gemm);

} // namespace kgen
