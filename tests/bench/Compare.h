// One chain after another: kgen and its peers, checked and timed in turns.
#pragma once

#include "Measure.h"
#include "Peer.h"

namespace bench {

/// Several chains of one kind, and what they come to together.
class Comparison {
public:
  Comparison(const Platform &platform, bool smoke) : platform(platform), smoke(smoke) {}

  /// Throws std::runtime_error if a result is wrong. Times it unless this is a smoke test.
  void add(const std::string &library, const Chain &chain);
  /// The geometric means.
  void printSummary() const;
  /// False if a peer was too slow to be taken seriously.
  bool isMeaningful() const { return meaningful; }

private:
  struct Entry {
    const char *name;
    bool sameWork;
    std::unique_ptr<Contestant> contestant;
    int calls = 1;
    Series rate, ratio; ///< GFLOPS; kgen's rate divided by this one's
  };
  enum class Cache { hot, cold };

  void time(const Chain &chain, const std::string &title, std::vector<Entry> &entries, Cache cache);
  void print(const Chain &chain, const std::string &title, const std::vector<Entry> &entries,
             const Series &peak);
  void judge(const Chain &chain, const std::vector<Entry> &entries, double peak);

  Platform platform;
  bool smoke, meaningful = true;
  double logRatios = 0, logFractions = 0, least = 1e30;
  int count = 0;
};

} // namespace bench
