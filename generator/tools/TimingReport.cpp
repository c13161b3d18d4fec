#include "tools/TimingReport.h"

#include "explain/Table.h"
#include "support/Json.h"
#include "support/Timing.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>

#include <fmt/format.h>

#include <ctime>
#include <numeric>
#include <ostream>

namespace kgen {
namespace {

using Passes = llvm::ArrayRef<TimedPass>;

double processSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Seconds sumOf(Passes passes) {
  return std::accumulate(passes.begin(), passes.end(), Seconds(),
                         [](Seconds sum, const TimedPass &one) {
                           return Seconds{sum.wall + one.seconds.wall, sum.cpu + one.seconds.cpu};
                         });
}

/// The first passes that are alike.
template <typename Alike> Passes takeAlike(Passes &rest, Alike alike) {
  size_t count = 1;
  while (count < rest.size() && alike(rest[count], rest[0]))
    ++count;
  Passes taken = rest.take_front(count);
  rest = rest.drop_front(count);
  return taken;
}

/// Rows of a graph for a target, of a stage, and of a pass, each below what it is a part of.
class TimingTable {
public:
  explicit TimingTable(Passes passes) : all(processSeconds()) {
    while (!passes.empty())
      addSubject(takeAlike(passes, [](const TimedPass &a, const TimedPass &b) {
        return a.graph == b.graph && a.target == b.target;
      }));
  }

  std::string text() {
    table.note =
        fmt::format("{:.2f} s CPU in all; a graph's, a stage's and a pass's is that of its "
                    "thread, and threads wait for each other",
                    all);
    return tableText(table);
  }

private:
  /// A pass that takes less is not shown on its own.
  static constexpr double leastShare = 0.01;

  void add(const std::string &graph, const std::string &target, const std::string &stage,
           const std::string &pass, const Seconds &seconds) {
    table.rows.push_back({graph, target, stage, pass, fmt::format("{:.3f}", seconds.wall),
                          fmt::format("{:.3f}", seconds.cpu),
                          fmt::format("{:.0f} %", all > 0 ? 100 * seconds.cpu / all : 0)});
  }

  void addSubject(Passes passes) {
    if (!passes[0].graph.empty())
      add(passes[0].graph, passes[0].target, "", "", sumOf(passes));
    while (!passes.empty())
      addStage(takeAlike(
          passes, [](const TimedPass &a, const TimedPass &b) { return a.stage == b.stage; }));
  }

  void addStage(Passes passes) {
    add("", "", passes[0].stage.empty() ? "other" : passes[0].stage, "", sumOf(passes));
    std::vector<TimedPass> named(passes.begin(), passes.end());
    llvm::erase_if(named, [](const TimedPass &one) { return one.pass.empty(); });
    llvm::stable_sort(named, [](const TimedPass &a, const TimedPass &b) {
      return a.seconds.cpu > b.seconds.cpu;
    });
    auto firstShort = llvm::find_if(named, [&](const TimedPass &one) {
      return std::max(one.seconds.cpu, one.seconds.wall) < leastShare * all;
    });
    for (const TimedPass &one : llvm::make_range(named.begin(), firstShort))
      add("", "", "", one.pass, one.seconds);
    Passes others(named.data() + (firstShort - named.begin()), named.data() + named.size());
    if (firstShort != named.begin() && !others.empty())
      add("", "", "", fmt::format("{} more pass{}", others.size(), others.size() == 1 ? "" : "es"),
          sumOf(others));
  }

  double all;
  Table table{"Seconds by graph, target, stage and pass",
              {{"graph"},
               {"target"},
               {"stage"},
               {"pass"},
               {"wall", true},
               {"CPU", true},
               {"of all CPU", true}},
              {}};
};

} // namespace

void addTimingTo(Json &json) {
  if (!isTimingStarted())
    return;
  Json passes = Json::array();
  for (const TimedPass &one : recordedTimes())
    passes.push_back({{"graph", one.graph},
                      {"target", one.target},
                      {"stage", one.stage},
                      {"pass", one.pass},
                      {"runs", one.runs},
                      {"wall_seconds", one.seconds.wall},
                      {"cpu_seconds", one.seconds.cpu}});
  json["timing"] = {{"cpu_seconds", processSeconds()}, {"passes", std::move(passes)}};
}

void printTiming(std::ostream &os) {
  if (isTimingStarted())
    os << "\n" << TimingTable(recordedTimes()).text();
}

StageProgress::StageProgress(Progress *progress) {
  if (!progress)
    return;
  constexpr double longStage = 1;
  watchStages([progress](const StageEvent &event) {
    std::string what = event.graph.str() + (event.target.empty() ? "" : "." + event.target.str()) +
                       (event.graph.empty() ? "" : ": ") + "stage " + event.stage.str();
    if (!event.hasEnded && progress->isTerminal())
      progress->show(what);
    if (event.hasEnded && event.seconds >= longStage)
      progress->show(fmt::format("{} took {:.1f} s", what, event.seconds));
  });
}

StageProgress::~StageProgress() { watchStages(nullptr); }

} // namespace kgen
