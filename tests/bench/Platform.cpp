#include "Platform.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

namespace bench {
namespace {
const Platform platforms[] = {
    {"x86-64-v4",
     "AVX512_CORE",
     "SkylakeX",
     "skx",
     {"vfmaddps zmm"},
     {"vfmaddps zmm"},
     {"vpmaddwd+vpaddd zmm"}},
    {"x86-64-v4-vnni",
     "AVX512_CORE_VNNI",
     "SkylakeX",
     "clx",
     {"vfmaddps zmm"},
     {"vfmaddps zmm"},
     {"vpdpbusd zmm"}},
    {"x86-64-v4-bf16",
     "AVX512_CORE_BF16",
     "SkylakeX",
     "cpx",
     {"vfmaddps zmm"},
     {"vfmaddps zmm", "vdpbf16ps zmm"},
     {"vpdpbusd zmm"}},
    {"zen4",
     "AVX512_CORE_BF16",
     "SkylakeX",
     "cpx",
     {"vfmaddps zmm"},
     {"vdpbf16ps zmm"},
     {"vpdpbusd zmm"}},
    {"x86-64-v4-amx",
     "AVX512_CORE_AMX",
     "SkylakeX",
     "cpx",
     {"vfmaddps zmm"},
     {"tdpbf16ps"},
     {"tdpbusd"}},
    {"x86-64-v3",
     "AVX2",
     "Haswell",
     "hsw",
     {"vfmaddps ymm"},
     {"vfmaddps ymm"},
     {"vpmaddwd+vpaddd ymm"}},
};
} // namespace

const Platform *findPlatform(const std::string &variant) {
  auto known = std::find_if(std::begin(platforms), std::end(platforms),
                            [&](const Platform &each) { return variant == each.variant; });
  return known == std::end(platforms) ? nullptr : &*known;
}

void limitPeers(const Platform &platform, unsigned threads, char **arguments) {
  std::string count = std::to_string(threads);
  const std::pair<const char *, const char *> wanted[] = {
      {"ONEDNN_MAX_CPU_ISA", platform.oneDnnIsa.c_str()},
      {"OPENBLAS_CORETYPE", platform.openBlasCore},
      {"LIBXSMM_TARGET", platform.xsmmTarget},
      {"OMP_NUM_THREADS", count.c_str()},
      {"OPENBLAS_NUM_THREADS", count.c_str()},
  };
  bool isSet = true;
  for (auto [name, value] : wanted) {
    const char *now = std::getenv(name);
    isSet &= now && std::strcmp(now, value) == 0;
    setenv(name, value, 1);
  }
  if (isSet)
    return;
  execv("/proc/self/exe", arguments);
  throw std::runtime_error("the program cannot be started again");
}

const char *valueOf(const std::string &argument, const std::string &option) {
  return argument.rfind(option, 0) == 0 ? argument.c_str() + option.size() : nullptr;
}

} // namespace bench
