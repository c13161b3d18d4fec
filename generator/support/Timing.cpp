#include "support/Timing.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>

#include <atomic>
#include <ctime>
#include <mutex>

namespace kgen {
namespace {

std::atomic<bool> isStarted{false};
std::function<void(const StageEvent &)> stageWatcher;
thread_local TimedScope *innermost = nullptr;

/// The records of all threads.
struct Record {
  std::mutex mutex;
  std::vector<TimedPass> passes;
  llvm::StringMap<size_t> positions; ///< in `passes`
};

Record &record() {
  static Record all;
  return all;
}

double readClock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

Seconds now() { return {readClock(CLOCK_MONOTONIC), readClock(CLOCK_THREAD_CPUTIME_ID)}; }

/// The entry of `pass`, which is made when its scope begins, so that entries are in that order.
TimedPass &entryOf(const TimedPass &pass) {
  std::string key = pass.graph + '\0' + pass.target + '\0' + pass.stage + '\0' + pass.pass;
  auto [found, isNew] = record().positions.try_emplace(key, record().passes.size());
  if (isNew)
    record().passes.push_back(pass);
  return record().passes[found->second];
}

} // namespace

void startTiming() { isStarted = true; }
bool isTimingStarted() { return isStarted; }

std::vector<TimedPass> recordedTimes() {
  std::lock_guard<std::mutex> lock(record().mutex);
  // Threads record several graphs at a time, and a stage may run again.
  llvm::StringMap<size_t> subjects, stages;
  auto rank = [](llvm::StringMap<size_t> &ranks, const std::string &key) {
    return ranks.try_emplace(key, ranks.size()).first->second;
  };
  std::vector<std::pair<std::pair<size_t, size_t>, TimedPass>> sorted;
  for (const TimedPass &one : record().passes) {
    std::string subject = one.graph + '\0' + one.target;
    sorted.push_back({{rank(subjects, subject), rank(stages, subject + '\0' + one.stage)}, one});
  }
  llvm::stable_sort(sorted, llvm::less_first());
  std::vector<TimedPass> passes;
  for (auto &[order, one] : sorted)
    passes.push_back(std::move(one));
  return passes;
}

void watchStages(std::function<void(const StageEvent &)> watcher) {
  stageWatcher = std::move(watcher);
}

TimedScope::TimedScope(llvm::StringRef graph, llvm::StringRef target) : outer(innermost) {
  key.graph = graph.str();
  key.target = target.str();
  begin();
}

TimedScope::TimedScope(Level level, llvm::StringRef name) : outer(innermost) {
  if (!isStarted && (level == pass || !stageWatcher))
    return;
  if (outer)
    key = outer->key;
  (level == stage ? key.stage : key.pass) = name.str();
  if (level == stage)
    key.pass.clear();
  begin();
}

void TimedScope::begin() {
  isActive = true;
  innermost = this;
  if (isStarted) {
    std::lock_guard<std::mutex> lock(record().mutex);
    entryOf(key);
  }
  if (isStage() && stageWatcher)
    stageWatcher({key.graph, key.target, key.stage});
  start = now();
}

TimedScope::~TimedScope() {
  if (!isActive)
    return;
  innermost = outer;
  Seconds end = now(), all{end.wall - start.wall, end.cpu - start.cpu};
  if (isStage() && stageWatcher)
    stageWatcher({key.graph, key.target, key.stage, /*hasEnded=*/true, all.wall});
  if (!isStarted)
    return;
  if (outer) {
    outer->inner.wall += all.wall;
    outer->inner.cpu += all.cpu;
  }
  std::lock_guard<std::mutex> lock(record().mutex);
  TimedPass &entry = entryOf(key);
  entry.seconds.wall += all.wall - inner.wall;
  entry.seconds.cpu += all.cpu - inner.cpu;
  ++entry.runs;
}

} // namespace kgen
