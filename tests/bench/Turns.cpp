#include "Turns.h"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

/// Threads that have nothing to do wait busily for a while: those of one contestant would keep the
/// other one's from the processors.
void letThreadsSleep(const kgen::ThreadPool &pool) {
  if (pool.threads() > 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

} // namespace

void expectAgreement(const std::string &title, Network &network, std::vector<NamedRunner> &all) {
  double allowed = allowedDifference(network, *all.front().runner);
  for (NamedRunner &each : all)
    each.runner->run();
  std::vector<double> ours = all.front().runner->result().values();
  for (NamedRunner &each : all) {
    std::vector<double> theirs = each.runner->result().values();
    for (size_t i = 0; i < ours.size(); ++i)
      if (!(std::fabs(ours[i] - theirs[i]) <= allowed))
        throw std::runtime_error(title + ": element " + std::to_string(i) + " is " +
                                 std::to_string(ours[i]) + ", " + each.name + " has " +
                                 std::to_string(theirs[i]) +
                                 "; allowed: " + std::to_string(allowed));
  }
}

Line timeInTurns(const std::string &title, const Network &network, std::vector<NamedRunner> &all,
                 const Platform &platform, const kgen::ThreadPool &pool, TurnTimes times) {
  auto *clock = pool.threads() > 1 ? kgen::wallSeconds : kgen::threadSeconds;
  const auto &peak = platform.peakOf(kgen::ElementType::f32);
  Line line{network.library.spec.library.value, title, false, network.flops, {}, {}};
  std::vector<int> calls;
  for (NamedRunner &each : all) {
    letThreadsSleep(pool);
    calls.push_back(callsFor(
        times.reading, [&] { each.runner->run(); }, clock));
    line.contestants.push_back({each.name, true, {}, {}});
  }
  double begin = kgen::wallSeconds();
  for (int round = 0; round < 9 || kgen::wallSeconds() - begin < times.total; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      letThreadsSleep(pool);
      all[i].runner->run(); // another one has used the caches
      double time = seconds([&] { all[i].runner->run(); }, calls[i], clock);
      Figures &figures = line.contestants[i];
      figures.rate.add(line.operations * 1e-9 / time);
      figures.ratio.add(line.own().rate.last() / figures.rate.last());
    }
    letThreadsSleep(pool);
    line.peak.add(peakRate(peak, pool));
  }
  return line;
}

} // namespace bench
