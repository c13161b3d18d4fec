#include "Compare.h"

#include "Generated.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <immintrin.h>
#include <stdexcept>

namespace bench {
namespace {

void check(const char *who, const Chain &chain, const Tensor &tensor, const Reference &wanted) {
  std::vector<double> got = tensor.values();
  for (size_t i = 0; i < got.size(); i++)
    if (!(std::fabs(got[i] - wanted.values[i]) <= wanted.bounds[i]))
      throw std::runtime_error(chain.name + ", " + who + ": element " + std::to_string(i) + " is " +
                               std::to_string(got[i]) + ", expected " +
                               std::to_string(wanted.values[i]));
}

/// Removes the ranges from all caches.
void flush(const std::vector<Range> &ranges) {
  for (const Range &range : ranges)
    for (size_t at = 0; at < range.size; at += 64)
      _mm_clflush(static_cast<const char *>(range.start) + at);
  _mm_mfence();
}

/// Weights that few rows read are as good as never in the cache where a network is larger than it.
bool isWorthCold(const Chain &chain) {
  return chain.layers.front().m <= 16 && chain.weightBytes() > (1 << 20);
}
} // namespace

void Comparison::add(const std::string &library, const Chain &chain) {
  std::vector<Entry> entries;
  entries.push_back({"kgen", true, makeGenerated(library, chain, options.platform)});
  for (const Peer &peer : peers())
    if (auto contestant = peer.make(chain, options.platform))
      entries.push_back({peer.name, peer.sameWork, std::move(contestant)});
  Reference wanted = evaluate(chain);
  for (Entry &entry : entries) {
    entry.contestant->run();
    check(entry.name, chain, entry.contestant->result(), wanted);
  }
  if (options.smoke) {
    std::printf("%s.%s: %zu results are right\n", library.c_str(), chain.name.c_str(),
                entries.size());
    return;
  }
  Line line{library, chain.name, false, chain.flops(), {}, {}};
  time(chain, line, entries);
  line.isCold = true;
  if (isWorthCold(chain))
    time(chain, line, entries);
}

void Comparison::time(const Chain &chain, Line line, std::vector<Entry> &entries) {
  double once = 1e-3; // a round, with the time for the peak
  for (Entry &entry : entries) {
    auto run = [&] { entry.contestant->run(); };
    entry.calls = line.isCold ? 1 : callsFor(2e-3, run);
    once += seconds(run, entry.calls) * entry.calls;
    line.contestants.push_back({entry.name, entry.sameWork, {}, {}});
  }
  int rounds = line.isCold ? 25 : std::clamp(static_cast<int>(2.0 / once), 15, 201);
  for (int round = 0; round < rounds; round++) {
    for (size_t i = 0; i < entries.size(); ++i) {
      Contestant &contestant = *entries[i].contestant;
      if (line.isCold)
        flush(contestant.weights());
      else
        contestant.run(); // the others have used the caches
      double time = seconds([&] { contestant.run(); }, entries[i].calls);
      Figures &figures = line.contestants[i];
      figures.rate.add(line.operations * 1e-9 / time);
      figures.ratio.add(line.own().rate.last() / figures.rate.last());
    }
    line.peak.add(peakRate(options.platform.peakOf(chain.element())));
  }
  if (!options.quiet)
    print(line);
  if (!line.isCold)
    judge(chain, line);
  all.push_back(std::move(line));
}

/// The comparison is broken if the best peer is far below the peak where it should not be.
void Comparison::judge(const Chain &chain, const Line &line) {
  const Layer &first = chain.layers.front();
  bool isLarge = first.m >= 32 && first.n >= 64 && first.k >= 64 && chain.flops() >= 5e7 &&
                 chain.element() == kgen::ElementType::f32 && !chain.given;
  double best = 0;
  for (size_t i = 1; i < line.contestants.size(); ++i)
    best = std::max(best, line.contestants[i].rate.quantile(0.9));
  if (!isLarge || best >= 0.75 * line.peak.median())
    return;
  std::fprintf(stderr,
               "%s: no peer reaches 0.75 of the peak: this benchmark is broken, or the "
               "machine is busy\n",
               chain.name.c_str());
  meaningful = false;
}

} // namespace bench
