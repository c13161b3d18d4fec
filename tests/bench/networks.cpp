// Compares whole networks, as kgen and as oneDNN's primitives compute them:
//   kgen-bench-networks VARIANT [--smoke] [--threads=N] [--plot=FILE] SPEC[:GRAPH]...
// kgen compiles the graph, or the spec's first one, for the variant. Both results are compared with
// each other first. Then kgen, oneDNN and the peak of the multiply-add instruction are timed in
// turns; figures are GFLOPS of all that the graph computes, the median of the rounds (lowest and
// highest tenth), as a fraction of the peak, and kgen's ratio to oneDNN: in processor time with one
// thread, by the wall's clock with several. --smoke checks the results only; --plot draws the
// figures as SVG. Exit status 1: an error or a wrong result.
#include "Chart.h"
#include "Program.h"
#include "Turns.h"

#include "target/HostCpu.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <optional>
#include <stdexcept>

using namespace bench;

namespace {
constexpr TurnTimes times{0.02, 4};
constexpr const char *usage =
    "usage: kgen-bench-networks VARIANT [--smoke] [--threads=N] [--plot=FILE] SPEC[:GRAPH]...";

struct Options {
  const Platform *platform = nullptr;
  bool smoke = false;
  unsigned threads = 1;
  std::string plot; ///< file; empty: none
  std::vector<std::string> networks;
};

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    if (argument == "--smoke")
      options.smoke = true;
    else if (const char *threads = valueOf(argument, "--threads="))
      options.threads = static_cast<unsigned>(std::stoul(threads));
    else if (const char *plot = valueOf(argument, "--plot="))
      options.plot = plot;
    else if (!options.platform && findPlatform(argument))
      options.platform = findPlatform(argument);
    else if (argument.find(".yaml") != std::string::npos)
      options.networks.push_back(argument);
    else
      throw std::invalid_argument(argument + " is neither a variant, an option nor a spec\n" +
                                  usage);
  }
  if (!options.platform || options.networks.empty() || options.threads == 0)
    throw std::invalid_argument(usage);
  if (options.threads > 1 && !kgen::ThreadPool::available())
    throw std::invalid_argument("kgen was built without threads");
  return options;
}

Network readArgument(const std::string &argument, const Platform &platform) {
  size_t end = argument.find(".yaml") + 5;
  std::string graph = end < argument.size() ? argument.substr(end + 1) : "";
  return readNetwork(argument.substr(0, end), graph, platform.variant);
}

/// Nothing if only the results were compared.
std::optional<Line> compare(const std::string &argument, const Options &options) {
  Network network = readArgument(argument, *options.platform);
  kgen::ThreadPool pool(options.threads);
  std::vector<NamedRunner> all;
  all.push_back({"kgen", makeGenerated(network, pool)});
  std::unique_ptr<NetworkPeer> peer = makeOneDnn(network, *options.platform, pool);
  const std::string description = peer->description();
  all.push_back({"oneDNN", std::move(peer)});
  expectAgreement(network.graph().name, network, all);
  if (options.smoke) {
    std::printf("%s: both results agree\n", network.graph().name.c_str());
    return std::nullopt;
  }
  Line line = timeInTurns(network.graph().name, network, all, *options.platform, pool, times);
  print(line);
  std::printf("    oneDNN: %s\n", description.c_str());
  return line;
}

void draw(const std::vector<Line> &lines, const Options &options) {
  std::time_t now = std::time(nullptr);
  char date[sizeof "2026-11-24"];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::ofstream file(options.plot);
  const dnnl::version_t &version = *dnnl::version();
  file << chartSvg(lines, {options.platform->variant, options.platform->oneDnnIsa,
                           fmt::format("{}.{}.{}", version.major, version.minor, version.patch),
                           kgen::hostCpu().name(), date, options.threads});
  if (!file.flush())
    throw std::runtime_error(options.plot + " cannot be written");
}
} // namespace

int main(int count, char **arguments) {
  return bench::run("kgen-bench-networks", [&] {
    Options options = parse(count, arguments);
    limitPeers(*options.platform, options.threads, arguments);
    std::printf("%s, threads: %u; oneDNN limited to %s\n", options.platform->variant,
                options.threads, options.platform->oneDnnIsa.c_str());
    std::vector<Line> lines;
    for (const std::string &network : options.networks)
      if (std::optional<Line> line = compare(network, options))
        lines.push_back(*line);
    if (!options.plot.empty())
      draw(lines, options);
    return 0;
  });
}
