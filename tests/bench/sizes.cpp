// Compares graphs whose sizes are known at run time, as kgen and as oneDNN's primitives compute
// them:
//   kgen-bench-sizes VARIANT [--smoke] [--threads=N] --sizes=N,N,... SPEC:GRAPH...
// The graphs have one dimension in `dims`. For each size there are, in turns: kgen's code for all
// sizes; kgen's for this size; oneDNN's network of primitives for this size; and, of chains of
// products, oneDNN's primitives for all sizes. Figures are as those of kgen-bench-networks: ratios
// are those of the first one to the others. --smoke checks the results only. Exit status 1: an
// error or a wrong result.
#include "Program.h"
#include "Turns.h"

#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

using namespace bench;

namespace {
constexpr TurnTimes times{0.005, 1};
constexpr const char *usage = "usage: kgen-bench-sizes VARIANT [--smoke] [--threads=N] "
                              "--sizes=N,N,... SPEC:GRAPH...";

struct Options {
  const Platform *platform = nullptr;
  bool smoke = false;
  unsigned threads = 1;
  std::vector<int64_t> sizes;
  std::vector<std::pair<std::string, std::string>> graphs; ///< spec and name
};

std::vector<int64_t> numbersIn(const std::string &list) {
  std::vector<int64_t> numbers;
  std::istringstream stream(list);
  for (std::string number; std::getline(stream, number, ',');)
    numbers.push_back(std::stoll(number));
  return numbers;
}

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    size_t spec = argument.find(".yaml:");
    if (argument == "--smoke")
      options.smoke = true;
    else if (const char *threads = valueOf(argument, "--threads="))
      options.threads = static_cast<unsigned>(std::stoul(threads));
    else if (const char *sizes = valueOf(argument, "--sizes="))
      options.sizes = numbersIn(sizes);
    else if (!options.platform && findPlatform(argument))
      options.platform = findPlatform(argument);
    else if (spec != std::string::npos)
      options.graphs.emplace_back(argument.substr(0, spec + 5), argument.substr(spec + 6));
    else
      throw std::invalid_argument(argument + " is neither a variant, an option nor a graph\n" +
                                  usage);
  }
  if (!options.platform || options.graphs.empty() || options.sizes.empty() || options.threads == 0)
    throw std::invalid_argument(usage);
  return options;
}

/// Geometric means over the sizes of the ratios to each contestant, and the least one.
void printMeans(const std::vector<Line> &lines) {
  for (size_t i = 1; !lines.empty() && i < lines.front().contestants.size(); ++i) {
    double logarithms = 0, least = 1e30;
    for (const Line &line : lines) {
      double ratio = line.contestants[i].ratio.median();
      logarithms += std::log(ratio);
      least = std::min(least, ratio);
    }
    std::printf("    to %s: %.2f in the mean, %.2f at least\n", lines.front().contestants[i].name,
                std::exp(logarithms / static_cast<double>(lines.size())), least);
  }
}

void compare(const std::string &spec, const std::string &graph, const Options &options) {
  kgen::ThreadPool pool(options.threads);
  SizedCode code(spec, graph, options.platform->variant);
  if (code.graph().dims.size() != 1)
    throw std::runtime_error(graph + " is given more sizes than one");
  const kgen::DimSymbol dim = code.graph().dims.front();
  std::unique_ptr<SizedProducts> products;
  std::vector<Line> lines;
  for (int64_t size : options.sizes) {
    if (!dim.contains(size))
      continue;
    const kgen::SizeValues sizes{{dim.name, size}};
    kgen::ModelBindings bindings;
    kgen::bindSizes(bindings, sizes);
    Network network = readNetwork(spec, graph, options.platform->variant, bindings);
    if (lines.empty() && !products)
      products = SizedProducts::create(network);
    std::vector<NamedRunner> all;
    all.push_back({"kgen", code.at(sizes, network, pool)});
    all.push_back({"kgen, this size", makeGenerated(network, pool)});
    all.push_back({"oneDNN, this size", makeOneDnn(network, *options.platform, pool)});
    if (products)
      all.push_back({"oneDNN", products->at(network)});
    std::string title = graph + " " + kgen::sizesText(sizes);
    expectAgreement(title, network, all);
    if (options.smoke) {
      std::printf("%s: all results agree\n", title.c_str());
      continue;
    }
    lines.push_back(timeInTurns(title, network, all, *options.platform, pool, times));
    print(lines.back());
  }
  printMeans(lines);
}
} // namespace

int main(int count, char **arguments) {
  return bench::run("kgen-bench-sizes", [&] {
    Options options = parse(count, arguments);
    limitPeers(*options.platform, options.threads, arguments);
    std::printf("%s, threads: %u; oneDNN limited to %s\n", options.platform->variant,
                options.threads, options.platform->oneDnnIsa.c_str());
    for (const auto &[spec, graph] : options.graphs)
      compare(spec, graph, options);
    return 0;
  });
}
