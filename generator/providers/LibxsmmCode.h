// libxsmm's generator behind one function: a GEMM in kgen's terms in, bytes of x86-64 machine code
// out.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

namespace kgen {

/// C (m x n) = A (m x k) * B (k x n), plus C if `accumulate`; all by rows, which are `aRow`, `bRow`
/// and `cRow` elements apart, at least their length. bf16 has an even k and aRow, B in pairs of k
/// (row k / 2 holds two values for each column, `bRow` counts columns) and sums in f32, which C has
/// too.
struct LibxsmmGemm {
  enum class Isa { avx2, avx512, avx512bf16 };
  enum class Element { f32, f64, bf16 };

  Isa isa = Isa::avx2;
  Element element = Element::f32; ///< bf16 only for the AVX-512 ones
  int64_t m = 0, n = 0, k = 0, aRow = 0, bRow = 0, cRow = 0;
  bool accumulate = false;
  /// The function has a fourth argument: an address that moves along with B and is prefetched into
  /// the second cache. AVX2 code ignores it.
  bool prefetch = false;
  /// The function adds up products whose A and B lie `aBatch` and `bBatch` elements apart; its
  /// fourth argument is the address of their number (64 bits, at least 1). Not with `prefetch`.
  bool batchReduce = false;
  int64_t aBatch = 0, bBatch = 0;
};

/// A function of the System V ABI with the arguments B, A, C, in this order. It needs no
/// relocation, returns with the upper halves of the vector registers in use, and touches nothing
/// outside the matrices where n is a multiple of the vector or the ISA is AVX-512. The bytes depend
/// on the argument only: not on the environment, nor on this machine's CPU. Safe to call from
/// several threads.
llvm::Expected<std::string> libxsmmCode(const LibxsmmGemm &gemm);

} // namespace kgen
