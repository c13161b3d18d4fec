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
  entries.push_back({"kgen", true, makeGenerated(library, chain, platform), 1, {}, {}});
  for (const Peer &peer : peers())
    if (auto contestant = peer.make(chain, platform))
      entries.push_back({peer.name, peer.sameWork, std::move(contestant), 1, {}, {}});
  Reference wanted = evaluate(chain);
  for (Entry &entry : entries) {
    entry.contestant->run();
    check(entry.name, chain, entry.contestant->result(), wanted);
  }
  std::string title = library + "." + chain.name;
  if (smoke) {
    std::printf("%s: %zu results are right\n", title.c_str(), entries.size());
    return;
  }
  time(chain, title, entries, Cache::hot);
  if (isWorthCold(chain))
    time(chain, title + " cold", entries, Cache::cold);
}

void Comparison::time(const Chain &chain, const std::string &title, std::vector<Entry> &entries,
                      Cache cache) {
  double once = 1e-3; // a round, with the time for the peak
  for (Entry &entry : entries) {
    auto run = [&] { entry.contestant->run(); };
    entry.rate = entry.ratio = {};
    entry.calls = cache == Cache::cold ? 1 : callsFor(2e-3, run);
    once += seconds(run, entry.calls) * entry.calls;
  }
  int rounds = cache == Cache::cold ? 25 : std::clamp(static_cast<int>(2.0 / once), 15, 201);
  Series peak;
  for (int round = 0; round < rounds; round++) {
    for (Entry &entry : entries) {
      if (cache == Cache::cold)
        flush(entry.contestant->weights());
      double time = seconds([&] { entry.contestant->run(); }, entry.calls);
      entry.rate.add(chain.flops() * 1e-9 / time);
      entry.ratio.add(entries.front().rate.last() / entry.rate.last());
    }
    peak.add(fmaRate(platform.isa));
  }
  print(chain, title, entries, peak);
  if (cache == Cache::hot)
    judge(chain, entries, peak.median());
}

void Comparison::print(const Chain &chain, const std::string &title,
                       const std::vector<Entry> &entries, const Series &peak) {
  std::printf("%-30s", title.c_str());
  const Entry *best = nullptr;
  for (const Entry &entry : entries) {
    double rate = entry.rate.median();
    std::printf(" %s%s %6.1f (%5.1f to %5.1f) %.2f;", entry.name, entry.sameWork ? "" : "*", rate,
                entry.rate.quantile(0.1), entry.rate.quantile(0.9), rate / peak.median());
    bool isRival = &entry != &entries.front() && entry.sameWork;
    if (isRival && (!best || rate > best->rate.median()))
      best = &entry;
  }
  double time = chain.flops() / entries.front().rate.median();
  std::printf(" %.4g us;", time * 1e-3);
  if (best) {
    std::printf(" %.3f (%.3f to %.3f) of %s", best->ratio.median(), best->ratio.quantile(0.1),
                best->ratio.quantile(0.9), best->name);
    logRatios += std::log(best->ratio.median());
    logFractions += std::log(entries.front().rate.median() / peak.median());
    least = std::min(least, best->ratio.median());
    ++count;
  }
  std::printf("; peak %.1f\n", peak.median());
  std::fflush(stdout);
}

/// The comparison is broken if the best peer is far below the peak where it should not be.
void Comparison::judge(const Chain &chain, const std::vector<Entry> &entries, double peak) {
  const Layer &first = chain.layers.front();
  bool isLarge = first.m >= 32 && first.n >= 64 && first.k >= 64 && chain.flops() >= 5e7 &&
                 chain.element() == kgen::ElementType::f32 && !chain.given;
  double best = 0;
  for (size_t i = 1; i < entries.size(); ++i)
    best = std::max(best, entries[i].rate.quantile(0.9));
  if (!isLarge || best >= 0.75 * peak)
    return;
  std::printf("  no peer reaches 0.75 of the peak here: this benchmark is broken, or the machine "
              "is busy\n");
  meaningful = false;
}

void Comparison::printSummary() const {
  if (count > 0)
    std::printf("geometric mean of %d: %.3f of the best peer (least %.3f), %.3f of the peak\n",
                count, std::exp(logRatios / count), least, std::exp(logFractions / count));
}

} // namespace bench
