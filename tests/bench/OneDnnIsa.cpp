#include "OneDnn.h"

#include <map>
#include <stdexcept>

namespace bench {
namespace {

dnnl::cpu_isa isaOf(const std::string &name) {
  static const std::map<std::string, dnnl::cpu_isa> names = {
      {"AVX2", dnnl::cpu_isa::avx2},
      {"AVX512_CORE", dnnl::cpu_isa::avx512_core},
      {"AVX512_CORE_VNNI", dnnl::cpu_isa::avx512_core_vnni},
      {"AVX512_CORE_BF16", dnnl::cpu_isa::avx512_core_bf16},
      {"AVX512_CORE_AMX", dnnl::cpu_isa::avx512_core_amx},
  };
  auto known = names.find(name);
  if (known == names.end())
    throw std::runtime_error("oneDNN has no instruction set " + name);
  return known->second;
}
} // namespace

void requireOneDnnIsa(const Platform &platform) {
  if (dnnl::get_effective_cpu_isa() != isaOf(platform.oneDnnIsa))
    throw std::runtime_error("oneDNN does not use the instruction set that it was limited to");
}

} // namespace bench
