// Compares generated libraries with oneDNN, one thread, both limited to the same instruction set:
//   kgen-bench x86-64-v4|x86-64-v3 [--smoke] LIBRARY=SPEC...
// Figures: the median (lowest tenth to best) of rounds in processor time; a peer is judged by its
// best round. Every result is checked against double arithmetic first. Rounds of kgen, oneDNN and
// the FMA peak alternate. --smoke checks the results only. Exit status 1: a wrong result; 3: the
// peer is so slow that the comparison means nothing.
#include "Chain.h"
#include "Generated.h"
#include "OneDnn.h"
#include "measure/Clock.h"
#include "measure/Peak.h"
#include "measure/Series.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <unistd.h>

using namespace bench;

namespace {
struct Options {
  std::string variant;
  Isa isa = Isa::avx512;
  bool smoke = false;
  std::vector<std::pair<std::string, std::string>> libraries; ///< name, spec
};

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = static_cast<float>(generator()) * 0x1p-32f - 0.5f;
  return values;
}

void check(const char *who, const Chain &chain, const std::vector<float> &got,
           const Reference &wanted) {
  for (size_t i = 0; i < got.size(); i++)
    if (!(std::fabs(got[i] - wanted.values[i]) <= wanted.bounds[i]))
      throw std::runtime_error(chain.name + ", " + who + ": element " + std::to_string(i) + " is " +
                               std::to_string(got[i]) + ", expected " +
                               std::to_string(wanted.values[i]));
}

double fmaRate(Isa isa) {
  static const kgen::ThreadPool oneThread(1);
  std::string_view name = isa == Isa::avx512 ? "vfmaddps zmm" : "vfmaddps ymm";
  for (const kgen::PeakInstruction &instruction : kgen::peakInstructions())
    if (instruction.name == name)
      return kgen::peakRate(instruction, oneThread);
  throw std::logic_error("no such peak");
}

/// Calls that take about two milliseconds together.
template <typename Function> int callsPerRound(const Function &function) {
  for (int calls = 1;; calls *= 2) {
    double start = kgen::threadSeconds();
    for (int i = 0; i < calls; i++)
      function();
    if (kgen::threadSeconds() - start > 2e-3)
      return calls;
  }
}

template <typename Function> double seconds(const Function &function, int calls) {
  double start = kgen::threadSeconds();
  for (int i = 0; i < calls; i++)
    function();
  return (kgen::threadSeconds() - start) / calls;
}

/// Prints a line; false if the peer is too slow to be taken seriously.
template <typename Ours, typename Theirs>
bool compare(const Chain &chain, const std::string &library, Isa isa, const Ours &ours,
             const Theirs &theirs) {
  int ourCalls = callsPerRound(ours), theirCalls = callsPerRound(theirs);
  int rounds = std::clamp(static_cast<int>(3.0 / (seconds(ours, 1) * ourCalls +
                                                  seconds(theirs, 1) * theirCalls + 1e-3)),
                          15, 301);
  kgen::Series our, their, ratio, peak;
  for (int round = 0; round < rounds; round++) {
    double ourRate = chain.flops() * 1e-9 / seconds(ours, ourCalls),
           theirRate = chain.flops() * 1e-9 / seconds(theirs, theirCalls);
    our.add(ourRate);
    their.add(theirRate);
    ratio.add(ourRate / theirRate);
    peak.add(fmaRate(isa));
  }
  double best = peak.quantile(0.9);
  auto print = [&](const char *name, const kgen::Series &s) {
    std::printf(" %s %7.2f GFLOPS (%.2f to %.2f), %3.0f %% of peak;", name, s.quantile(0.5),
                s.quantile(0.1), s.quantile(1), 100 * s.quantile(0.5) / best);
  };
  std::printf("%-24s", (library + "." + chain.name).c_str());
  print("kgen", our);
  print("oneDNN", their);
  std::printf(" ratio %.3f (%.3f to %.3f), of the best rounds %.3f; peak %.1f\n",
              ratio.quantile(0.5), ratio.quantile(0.1), ratio.quantile(0.9),
              our.quantile(1) / their.quantile(1), best);
  return chain.layers.front().m < 16 || chain.flops() < 5e7 || their.quantile(1) >= 0.75 * best;
}

bool runChain(const Chain &chain, const std::string &library, const Options &options) {
  const Layer &first = chain.layers.front(), &last = chain.layers.back();
  std::vector<float> x = randomFloats(static_cast<size_t>(first.m * first.k), 1), given,
                     y(static_cast<size_t>(last.m * last.n));
  if (chain.weightsGiven())
    given = randomFloats(static_cast<size_t>(first.k * first.n), 2);
  Call call = generatedFunction(library, chain.name, options.variant);
  OneDnn peer(chain, options.isa);
  const void *inputs[] = {x.data(), given.data()};
  void *outputs[] = {y.data()};
  auto ours = [&] { call(inputs, outputs); };
  auto theirs = [&] { peer.run(x.data(), given.empty() ? nullptr : given.data()); };
  ours();
  theirs();
  Reference wanted = evaluate(chain, x, given);
  check("kgen", chain, y, wanted);
  check("oneDNN", chain, peer.output(), wanted);
  if (options.smoke) {
    std::printf("%s: both results are right\n", chain.name.c_str());
    return true;
  }
  return compare(chain, library, options.isa, ours, theirs);
}

Options parse(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; i++) {
    std::string argument = arguments[i];
    if (size_t equals = argument.find('='); equals != std::string::npos)
      options.libraries.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
    else if (argument == "--smoke")
      options.smoke = true;
    else
      options.variant = argument;
  }
  if ((options.variant != "x86-64-v4" && options.variant != "x86-64-v3") ||
      options.libraries.empty())
    throw std::invalid_argument("usage: kgen-bench x86-64-v4|x86-64-v3 [--smoke] LIBRARY=SPEC...");
  options.isa = options.variant == "x86-64-v4" ? Isa::avx512 : Isa::avx2;
  return options;
}

/// The peer's libraries read the environment when they are loaded, so the process starts again with
/// the right one.
void limitPeer(Isa isa, char **arguments) {
  const char *limit = isa == Isa::avx512 ? "AVX512_CORE" : "AVX2",
             *now = std::getenv("ONEDNN_MAX_CPU_ISA");
  const char *threads = std::getenv("OMP_NUM_THREADS");
  if (now && threads && std::strcmp(now, limit) == 0 && std::strcmp(threads, "1") == 0)
    return;
  setenv("ONEDNN_MAX_CPU_ISA", limit, 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", arguments);
  throw std::runtime_error("the program cannot be started again");
}
} // namespace

int main(int count, char **arguments) {
  try {
    Options options = parse(count, arguments);
    limitPeer(options.isa, arguments);
    bool meaningful = true;
    std::printf("%s, one thread\n", options.variant.c_str());
    for (const auto &[library, spec] : options.libraries)
      for (const Chain &chain : readChains(spec))
        meaningful &= runChain(chain, library, options);
    if (!meaningful)
      std::puts("oneDNN stays below 0.75 of the peak on a large shape: this benchmark is broken or "
                "the machine is busy");
    return meaningful ? 0 : 3;
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kgen-bench: %s\n", error.what());
    return 1;
  }
}
