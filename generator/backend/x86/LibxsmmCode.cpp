#include "backend/x86/LibxsmmCode.h"

#include "support/Timing.h"

#include <libxsmm_cpuid.h>
#include <libxsmm_generator.h>
// The only place that says what a descriptor is.
#include <libxsmm/libxsmm_main.h>

#include <mutex>
#include <vector>

namespace kgen {

static libxsmm_gemm_precision precisionOf(LibxsmmGemm::Element element) {
  switch (element) {
  case LibxsmmGemm::Element::f32:
    return LIBXSMM_GEMM_PRECISION_F32;
  case LibxsmmGemm::Element::f64:
    return LIBXSMM_GEMM_PRECISION_F64;
  case LibxsmmGemm::Element::bf16:
    return LIBXSMM_GEMM_PRECISION_BF16;
  }
  llvm_unreachable("all are listed");
}

static int archOf(LibxsmmGemm::Isa isa) {
  switch (isa) {
  case LibxsmmGemm::Isa::avx2:
    return LIBXSMM_X86_AVX2;
  case LibxsmmGemm::Isa::avx512:
    return LIBXSMM_X86_AVX512_CORE;
  case LibxsmmGemm::Isa::avx512bf16:
    return LIBXSMM_X86_AVX512_CPX;
  }
  llvm_unreachable("all are listed");
}

/// libxsmm is column-major: its A is our B, its m is our n.
static libxsmm_gemm_descriptor *describe(const LibxsmmGemm &gemm, libxsmm_descriptor_blob &blob) {
  auto asInt = [](int64_t value) { return static_cast<libxsmm_blasint>(value); };
  bool isPairs = gemm.element == LibxsmmGemm::Element::bf16;
  int flags = (isPairs ? LIBXSMM_GEMM_FLAG_VNNI_A : LIBXSMM_GEMM_FLAG_NONE) |
              (gemm.batchReduce ? LIBXSMM_GEMM_FLAG_BATCH_REDUCE_STRIDE : LIBXSMM_GEMM_FLAG_NONE);
  libxsmm_gemm_precision input = precisionOf(gemm.element);
  libxsmm_gemm_descriptor *descriptor = libxsmm_gemm_descriptor_dinit2(
      &blob, input, isPairs ? LIBXSMM_GEMM_PRECISION_F32 : input, asInt(gemm.n), asInt(gemm.m),
      asInt(gemm.k), asInt(gemm.bRow), asInt(gemm.aRow), asInt(gemm.cRow), /*alpha=*/1,
      /*beta=*/gemm.accumulate ? 1 : 0, flags,
      gemm.prefetch ? LIBXSMM_GEMM_PREFETCH_AL2 : LIBXSMM_GEMM_PREFETCH_NONE);
  if (descriptor && gemm.batchReduce) { // in bytes
    int64_t size = isPairs ? 2 : gemm.element == LibxsmmGemm::Element::f32 ? 4 : 8;
    descriptor->c1 = gemm.bBatch * size;
    descriptor->c2 = gemm.aBatch * size;
  }
  return descriptor;
}

llvm::Expected<std::string> libxsmmCode(const LibxsmmGemm &gemm) {
  static std::mutex mutex; // libxsmm does not promise that its generator is thread-safe
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
  code.arch = archOf(gemm.isa);
  TimedScope timed(TimedScope::pass, "libxsmm");
  libxsmm_generator_gemm_kernel(&code, descriptor);
  if (code.last_error != 0)
    return llvm::createStringError("libxsmm: %s", libxsmm_strerror(code.last_error));
  constexpr char ret = '\xc3';
  if (code.code_size == 0 || code.code_size > buffer.size() || buffer[code.code_size - 1] != ret)
    return llvm::createStringError("libxsmm made no function");
  return std::string(buffer.data(), code.code_size);
}

} // namespace kgen
