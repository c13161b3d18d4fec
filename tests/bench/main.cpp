// Compares generated libraries with other libraries, one thread, all limited to the same
// instruction set:
//   kgen-bench x86-64-v4|x86-64-v3 [--smoke] [--filter=TEXT] LIBRARY=SPEC...
// Every result is checked against double arithmetic first. Then all contestants and the FMA peak
// are timed in turns; figures are GFLOPS, the median of the rounds (lowest and highest tenth) in
// processor time, as a fraction of the peak, and kgen's ratio to the best peer. "cold": the weights
// are flushed from the caches before each call. A peer with a star has operands in a layout of its
// own and is no rival. --smoke checks the results only. Exit status 1: a wrong result; 3: peers are
// so slow that the comparison means nothing.
#include "Compare.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

using namespace bench;

namespace {
constexpr Platform platforms[] = {
    {"x86-64-v4", Isa::avx512, "AVX512_CORE", "SkylakeX", "skx"},
    {"x86-64-v3", Isa::avx2, "AVX2", "Haswell", "hsw"},
};

struct Options {
  Platform platform{};
  bool smoke = false;
  std::string filter;
  std::vector<std::pair<std::string, std::string>> libraries; ///< name, spec
};

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    if (argument == "--smoke")
      options.smoke = true;
    else if (argument.rfind("--filter=", 0) == 0)
      options.filter = argument.substr(std::strlen("--filter="));
    else if (size_t equals = argument.find('='); equals != std::string::npos)
      options.libraries.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
    else
      for (const Platform &platform : platforms)
        if (argument == platform.variant)
          options.platform = platform;
  }
  if (!options.platform.variant || options.libraries.empty())
    throw std::invalid_argument(
        "usage: kgen-bench x86-64-v4|x86-64-v3 [--smoke] [--filter=TEXT] LIBRARY=SPEC...");
  return options;
}

/// The peers' libraries read the environment when they are loaded, so the process starts again with
/// the right one.
void limitPeers(const Platform &platform, char **arguments) {
  const std::pair<const char *, const char *> wanted[] = {
      {"ONEDNN_MAX_CPU_ISA", platform.oneDnnIsa},
      {"OPENBLAS_CORETYPE", platform.openBlasCore},
      {"LIBXSMM_TARGET", platform.xsmmTarget},
      {"OMP_NUM_THREADS", "1"},
      {"OPENBLAS_NUM_THREADS", "1"},
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
} // namespace

int main(int count, char **arguments) {
  try {
    Options options = parse(count, arguments);
    const Platform &platform = options.platform;
    limitPeers(platform, arguments);
    std::printf("%s, one thread; oneDNN limited to %s, OpenBLAS as for %s, libxsmm for %s\n",
                platform.variant, platform.oneDnnIsa, platform.openBlasCore, platform.xsmmTarget);
    bool meaningful = true;
    for (const auto &[library, spec] : options.libraries) {
      Comparison comparison(platform, options.smoke);
      for (const Chain &chain : readChains(spec))
        if ((library + "." + chain.name).find(options.filter) != std::string::npos)
          comparison.add(library, chain);
      comparison.printSummary();
      meaningful &= comparison.isMeaningful();
    }
    return meaningful ? 0 : 3;
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kgen-bench: %s\n", error.what());
    return 1;
  }
}
