// libxsmm's generator behind one function: a GEMM in kgen's terms in, bytes of x86-64 machine code
// out.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <string>

namespace kgen {

/// C (m x n) = A (m x k) * B (k x n), plus C if `accumulate`; all by rows, which are `aRow`, `bRow`
/// and `cRow` elements apart, at least their length.
struct LibxsmmGemm {
  enum class Isa { avx2, avx512 };
  enum class Element { f32, f64 };

  Isa isa = Isa::avx2;
  Element element = Element::f32;
  int64_t m = 0, n = 0, k = 0, aRow = 0, bRow = 0, cRow = 0;
  bool accumulate = false;
  /// The function has a fourth argument: an address that moves along with B and is prefetched into
  /// the second cache. AVX2 code ignores it.
  bool prefetch = false;
};

/// A function of the System V ABI with the arguments B, A, C, in this order. It needs no
/// relocation, returns with the upper halves of the vector registers in use, and touches nothing
/// outside the matrices where n is a multiple of the vector or the ISA is AVX-512. The bytes depend
/// on the argument only: not on the environment, nor on this machine's CPU. Safe to call from
/// several threads.
llvm::Expected<std::string> libxsmmCode(const LibxsmmGemm &gemm);

} // namespace kgen
