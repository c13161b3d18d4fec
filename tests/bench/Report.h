// Measurements, as text and as JSON.
#pragma once

#include "Measure.h"
#include "Peer.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace bench {

/// Of one contestant, over the rounds.
struct Figures {
  const char *name;
  bool sameWork;
  Series rate, ratio; ///< 10^9 operations a second; kgen's rate divided by this one's
};

/// Of one chain; kgen's figures come first.
struct Line {
  std::string library, chain;
  bool isCold = false;
  double operations = 0;
  std::vector<Figures> contestants;
  Series peak; ///< 10^9 operations a second

  const Figures &own() const { return contestants.front(); }
  /// The fastest peer that does the same work; null if there is none.
  const Figures *best() const;
};

/// Geometric means of the lines that have a peer, if there are any.
struct Summary {
  size_t count;
  double ratio, lowest, fraction; ///< to the best peer; the smallest one; of the peak
};
std::optional<Summary> summaryOf(const std::vector<Line> &lines);

void print(const Line &line);
void print(const Summary &summary);
/// One document: lines are those of one library after another.
nlohmann::ordered_json toJson(const Platform &platform,
                              const std::vector<std::vector<Line>> &libraries);

} // namespace bench
