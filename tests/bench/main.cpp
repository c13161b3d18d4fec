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
#include "Program.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <stdexcept>

using namespace bench;

namespace {
constexpr const char *usage = "usage: kgen-bench VARIANT [--smoke] [--filter=TEXT] [--json] "
                              "[--onednn=ISA] LIBRARY=SPEC...";

struct Options {
  CompareOptions compare;
  bool json = false;
  std::string filter;
  std::vector<std::pair<std::string, std::string>> libraries; ///< name, spec
};

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
      const Platform *known = findPlatform(argument);
      if (!known)
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
} // namespace

int main(int count, char **arguments) {
  return bench::run("kgen-bench", [&] {
    Options options = parse(count, arguments);
    const Platform &platform = options.compare.platform;
    limitPeers(platform, 1, arguments);
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
  });
}
