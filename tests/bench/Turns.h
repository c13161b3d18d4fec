// Runners that compute the same network: their results are compared, and they are timed in turns.
#pragma once

#include "Network.h"
#include "Report.h"

namespace bench {

struct NamedRunner {
  const char *name;
  std::unique_ptr<Runner> runner;
};

/// Throws std::runtime_error if a result is further from the first one's than allowedDifference().
void expectAgreement(const std::string &title, Network &network, std::vector<NamedRunner> &all);

/// Seconds of one reading, and of all of them at least.
struct TurnTimes {
  double reading, total;
};

/// Rates of all runners, each reading with the peak measured beside it; ratios are the first one's
/// to the others'. Processor time with one thread, the wall clock's with several.
Line timeInTurns(const std::string &title, const Network &network, std::vector<NamedRunner> &all,
                 const Platform &platform, const kgen::ThreadPool &pool, TurnTimes times);

} // namespace bench
