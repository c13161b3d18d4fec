// Compares generated libraries with other libraries, one thread, all limited to the same
// instruction set:
//   kgen-bench VARIANT [--smoke] [--filter=TEXT] [--json] [--onednn=ISA] LIBRARY=SPEC...
// Every result is checked against double arithmetic first. Then all contestants and the peak of the
// type's instruction are timed in turns; figures are GFLOPS or GOPS, the median of the rounds
// (lowest and highest tenth) in processor time, as a fraction of the peak, and kgen's ratio to the
// best peer. "cold": the weights are flushed from the caches before each call. A peer with a star
// has operands in a layout of its own and is no rival. --smoke checks the results only; --filter
// takes graphs whose LIBRARY.NAME contains the text; --onednn limits oneDNN to another instruction
// set. Exit status 1: a wrong result; 3: peers are so slow that the comparison means nothing.
#include "Compare.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>

using namespace bench;

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
constexpr const char *usage = "usage: kgen-bench VARIANT [--smoke] [--filter=TEXT] [--json] "
                              "[--onednn=ISA] LIBRARY=SPEC...";

struct Options {
  CompareOptions compare;
  bool json = false;
  std::string filter;
  std::vector<std::pair<std::string, std::string>> libraries; ///< name, spec
};

/// The value of an option `--name=value`, or null.
const char *valueOf(const std::string &argument, const std::string &option) {
  return argument.rfind(option, 0) == 0 ? argument.c_str() + option.size() : nullptr;
}

Options parse(int count, char **arguments) {
  Options options;
  const char *oneDnnIsa = nullptr;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    if (argument == "--smoke")
      options.compare.smoke = true;
    else if (argument == "--json")
      options.json = options.compare.quiet = true;
    else if (valueOf(argument, "--filter="))
      options.filter = valueOf(argument, "--filter=");
    else if (valueOf(argument, "--onednn="))
      oneDnnIsa = valueOf(arguments[i], "--onednn=");
    else if (size_t equals = argument.find('='); equals != std::string::npos)
      options.libraries.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
    else {
      auto known = std::find_if(std::begin(platforms), std::end(platforms),
                                [&](const Platform &each) { return argument == each.variant; });
      if (known == std::end(platforms))
        throw std::invalid_argument(argument + " is neither a variant nor an option\n" + usage);
      options.compare.platform = *known;
    }
  }
  if (!options.compare.platform.variant || options.libraries.empty())
    throw std::invalid_argument(usage);
  if (oneDnnIsa)
    options.compare.platform.oneDnnIsa = oneDnnIsa;
  return options;
}

/// The peers' libraries read the environment when they are loaded, so the process starts again with
/// the right one.
void limitPeers(const Platform &platform, char **arguments) {
  const std::pair<const char *, const char *> wanted[] = {
      {"ONEDNN_MAX_CPU_ISA", platform.oneDnnIsa.c_str()},
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
    const Platform &platform = options.compare.platform;
    limitPeers(platform, arguments);
    if (!options.json)
      std::printf("%s, one thread; oneDNN limited to %s, OpenBLAS as for %s, libxsmm for %s\n",
                  platform.variant, platform.oneDnnIsa.c_str(), platform.openBlasCore,
                  platform.xsmmTarget);
    bool meaningful = true;
    std::vector<std::vector<Line>> lines;
    for (const auto &[library, spec] : options.libraries) {
      Comparison comparison(options.compare);
      for (const Chain &chain : readChains(spec))
        if ((library + "." + chain.name).find(options.filter) != std::string::npos)
          comparison.add(library, chain);
      meaningful &= comparison.isMeaningful();
      lines.push_back(comparison.lines());
      if (auto summary = summaryOf(lines.back()); summary && !options.json)
        print(*summary);
    }
    if (options.json)
      std::printf("%s\n", toJson(platform, lines).dump(2).c_str());
    return meaningful ? 0 : 3;
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kgen-bench: %s\n", error.what());
    return 1;
  }
}
