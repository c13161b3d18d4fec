// One chain after another: kgen and its peers, checked and timed in turns.
#pragma once

#include "Report.h"

namespace bench {

struct CompareOptions {
  Platform platform;
  bool smoke = false; ///< only check the results
  bool quiet = false; ///< print no lines
};

/// Several chains of one library, and what they come to together.
class Comparison {
public:
  explicit Comparison(const CompareOptions &options) : options(options) {}

  /// Throws std::runtime_error if a result is wrong. Times it unless this is a smoke test.
  void add(const std::string &library, const Chain &chain);
  const std::vector<Line> &lines() const { return all; }
  /// False if a peer was too slow to be taken seriously.
  bool isMeaningful() const { return meaningful; }

private:
  struct Entry {
    const char *name;
    bool sameWork;
    std::unique_ptr<Contestant> contestant;
    int calls = 1;
  };

  void time(const Chain &chain, Line line, std::vector<Entry> &entries);
  void judge(const Chain &chain, const Line &line);

  const CompareOptions &options;
  bool meaningful = true;
  std::vector<Line> all;
};

} // namespace bench
