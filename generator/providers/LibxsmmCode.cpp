#include "providers/LibxsmmCode.h"

#include <libxsmm_cpuid.h>
#include <libxsmm_generator.h>

#include <mutex>
#include <vector>

namespace kgen {

/// libxsmm counts by columns: its A is our B, its m is our n.
static libxsmm_gemm_descriptor *describe(const LibxsmmGemm &gemm, libxsmm_descriptor_blob &blob) {
  auto asInt = [](int64_t value) { return static_cast<libxsmm_blasint>(value); };
  auto precision = gemm.element == LibxsmmGemm::Element::f32 ? LIBXSMM_GEMM_PRECISION_F32
                                                             : LIBXSMM_GEMM_PRECISION_F64;
  return libxsmm_gemm_descriptor_dinit(
      &blob, precision, asInt(gemm.n), asInt(gemm.m), asInt(gemm.k), asInt(gemm.bRow),
      asInt(gemm.aRow), asInt(gemm.cRow), /*alpha=*/1, /*beta=*/gemm.accumulate ? 1 : 0,
      LIBXSMM_GEMM_FLAG_NONE,
      gemm.prefetch ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE);
}

llvm::Expected<std::string> libxsmmCode(const LibxsmmGemm &gemm) {
  static std::mutex mutex; // nothing promises that the generator keeps no state
  std::lock_guard<std::mutex> lock(mutex);
  libxsmm_descriptor_blob blob;
  const libxsmm_gemm_descriptor *descriptor = describe(gemm, blob);
  if (!descriptor)
    return llvm::createStringError("libxsmm cannot describe the product");
  std::vector<char> buffer(128 * 1024);
  libxsmm_generated_code code = {};
  code.generated_code = buffer.data();
  code.buffer_size = buffer.size();
  code.code_type = 2; // machine code
  code.arch = gemm.isa == LibxsmmGemm::Isa::avx512 ? LIBXSMM_X86_AVX512_CORE : LIBXSMM_X86_AVX2;
  libxsmm_generator_gemm_kernel(&code, descriptor);
  if (code.last_error != 0)
    return llvm::createStringError("libxsmm: %s", libxsmm_strerror(code.last_error));
  constexpr char ret = '\xc3';
  if (code.code_size == 0 || code.code_size > buffer.size() || buffer[code.code_size - 1] != ret)
    return llvm::createStringError("libxsmm made no function");
  return std::string(buffer.data(), code.code_size);
}

} // namespace kgen
