// Rates of operators relative to the memory's speed, on arrays that no cache holds:
//   kgen-bench-memory VARIANT [--smoke] [--json] [--filter=PREFIX]... [--seconds=S] SPEC
// kgen compiles the spec's graphs for the variant. Each is compared with plain loops first, and
// then timed in turns with two copies of an array: memcpy, and one with non-temporal stores.
// A line has the median time, the bytes of inputs and results a second, and that rate as a fraction
// of either copy's. --smoke checks the results only. Exit status 1: an error or a wrong result.
#include "Expected.h"
#include "Measure.h"
#include "Platform.h"
#include "Program.h"

#include "driver/bench/Bench.h"
#include "driver/verify/ResultCheck.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <emmintrin.h>

using namespace bench;

namespace {
constexpr const char *usage =
    "usage: kgen-bench-memory VARIANT [--smoke] [--json] [--filter=PREFIX]... [--seconds=S] SPEC";
constexpr size_t copiedBytes = size_t(64) << 20;
constexpr double enough = 0.8; ///< of a copy's rate

struct Options {
  std::string variant, spec;
  std::vector<std::string> filters; ///< a graph's name starts with one of them
  double seconds = 1;               ///< for each graph
  bool smoke = false, json = false;
};

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    if (argument == "--smoke")
      options.smoke = true;
    else if (argument == "--json")
      options.json = true;
    else if (const char *prefix = valueOf(argument, "--filter="))
      options.filters.push_back(std::string(prefix) + "*");
    else if (const char *seconds = valueOf(argument, "--seconds="))
      options.seconds = std::stod(seconds);
    else if (options.variant.empty() && findPlatform(argument))
      options.variant = argument;
    else if (options.spec.empty() && argument.find(".yaml") != std::string::npos)
      options.spec = argument;
    else
      throw std::invalid_argument(argument + " is neither a variant, an option nor a spec\n" +
                                  usage);
  }
  if (options.variant.empty() || options.spec.empty())
    throw std::invalid_argument(usage);
  return options;
}

/// Copies of memory, with which every graph is compared.
class Copies {
public:
  Copies() : from(copiedBytes / sizeof(__m128i)), to(from.size()) {}

  void throughCaches() { std::memcpy(to.data(), from.data(), copiedBytes); }

  void pastCaches() {
    constexpr size_t ahead = 2048 / sizeof(__m128i);
    for (size_t i = 0; i < from.size(); ++i) {
      if (i % 4 == 0)
        _mm_prefetch(reinterpret_cast<const char *>(from.data() + i + ahead), _MM_HINT_T0);
      _mm_stream_si128(to.data() + i, from[i]);
    }
    _mm_sfence();
  }

private:
  std::vector<__m128i> from, to;
};

struct Line {
  std::string graph;
  int64_t bytes = 0;
  Series milliseconds, ofCopy, ofStream; ///< fractions of the rates of both copies beside it

  double rate() const { return static_cast<double>(bytes) / milliseconds.median() * 1e-6; }
};

int64_t bytesOf(const kgen::GraphInterface &graph) {
  int64_t bytes = 0;
  for (const auto *tensors : {&graph.inputs, &graph.outputs})
    for (const kgen::TensorInterface &tensor : *tensors)
      bytes += tensor.type.byteCount();
  return bytes;
}

Line time(const kgen::GraphInterface &graph, kgen::GraphCall &call, Copies &copies, double total) {
  constexpr int minRounds = 5;
  Line line{graph.name, bytesOf(graph), {}, {}, {}};
  double begin = kgen::wallSeconds();
  for (int round = 0; round < minRounds || kgen::wallSeconds() - begin < total; ++round) {
    double copy = seconds([&] { copies.throughCaches(); }, 1);
    double stream = seconds([&] { copies.pastCaches(); }, 1);
    double own = seconds([&] { call.run(); }, 1);
    line.milliseconds.add(own * 1e3);
    double part = static_cast<double>(line.bytes) / (2.0 * copiedBytes); // of what a copy moves
    line.ofCopy.add(part * copy / own);
    line.ofStream.add(part * stream / own);
  }
  return line;
}

void check(const kgen::BenchSubject &subject, const std::string &graph, const std::string &variant,
           kgen::LoadedCode &code, kgen::LoadedCode &reference, kgen::GraphCall &call) {
  auto wanted = take(kgen::ResultCheck::make(subject.reference, graph, reference));
  kgen::GraphCall other = take(kgen::callOf(subject.library, graph, variant, code));
  std::vector<kgen::ThreadPool> one;
  one.emplace_back(1U);
  for (const std::string &complaint : take(wanted.complaints(call, other, one)))
    throw std::runtime_error(graph + ": " + complaint);
}

void print(const Line &line) {
  std::printf("%-28s %8.3f ms (%8.3f to %8.3f) %6.1f GB/s %5.2f of memcpy %5.2f of streams\n",
              line.graph.c_str(), line.milliseconds.median(), line.milliseconds.quantile(0.1),
              line.milliseconds.quantile(0.9), line.rate(), line.ofCopy.median(),
              line.ofStream.median());
  std::fflush(stdout);
}

void printSummary(const std::vector<Line> &lines) {
  double copy = 0, stream = 0;
  size_t reached = 0;
  for (const Line &line : lines) {
    copy += std::log(line.ofCopy.median());
    stream += std::log(line.ofStream.median());
    reached += line.ofCopy.median() >= enough;
  }
  auto count = static_cast<double>(lines.size());
  std::printf("geometric mean of %zu: %.2f of memcpy, %.2f of streams; %zu reach %.1f of memcpy\n",
              lines.size(), std::exp(copy / count), std::exp(stream / count), reached, enough);
}

nlohmann::ordered_json toJson(const std::string &variant, const std::vector<Line> &lines) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Line &line : lines)
    list.push_back({{"graph", line.graph},
                    {"bytes", line.bytes},
                    {"milliseconds", line.milliseconds.median()},
                    {"gbytes", line.rate()},
                    {"fraction_of_memcpy", line.ofCopy.median()},
                    {"fraction_of_streams", line.ofStream.median()}});
  return {{"variant", variant}, {"lines", list}};
}

int runAll(const Options &options) {
  kgen::BenchOptions compile;
  compile.specPath = options.spec;
  compile.targets = {options.variant};
  compile.graphs = options.filters;
  kgen::BenchSubject subject;
  kgen::BenchReport report;
  kgen::Diagnostics diagnostics;
  if (kgen::compileForBench(compile, subject, report, diagnostics) != kgen::GenerateStatus::ok)
    throw std::runtime_error(diagnostics.str());
  auto code = take(kgen::LoadedCode::load(subject.library.files));
  auto reference = take(kgen::LoadedCode::load(subject.reference.files));
  Copies copies;
  std::vector<Line> lines;
  for (const kgen::GraphInterface &graph : subject.library.library.graphs) {
    kgen::GraphCall call = take(kgen::callOf(subject.library, graph.name, options.variant, code));
    check(subject, graph.name, options.variant, code, reference, call);
    if (options.smoke)
      continue;
    call.fill(0);
    lines.push_back(time(graph, call, copies, options.seconds));
    if (!options.json)
      print(lines.back());
  }
  if (options.json)
    std::printf("%s\n", toJson(options.variant, lines).dump(2).c_str());
  else if (!lines.empty())
    printSummary(lines);
  return 0;
}
} // namespace

int main(int count, char **arguments) {
  return bench::run("kgen-bench-memory", [&] { return runAll(parse(count, arguments)); });
}
