#include "support/Workers.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace kgen {

/// Calls `takeTurns` on at most `threads` threads, this one included.
static void runOnThreads(size_t threads, llvm::function_ref<void()> takeTurns) {
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < threads; ++i)
      others.emplace_back(takeTurns);
  } catch (const std::system_error &) {
    // Those that there are do all of it.
  }
  takeTurns();
  for (std::thread &one : others)
    one.join();
}

void runInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next{0};
  runOnThreads(std::min<size_t>(threads, count), [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  });
}

namespace {

/// Hands out steps of numbers below `count`.
class StepQueue {
public:
  StepQueue(size_t threads, size_t count) : threads(threads), count(count) {}

  struct Step {
    size_t number;
    bool isFirst;
  };

  /// Returns the next step; waits while only steps of others could make one; nothing if all is
  /// done.
  std::optional<Step> take() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return next < count || !begun.empty() || running == 0; });
    const bool isTail = count - next < threads;
    if (next < count && (isTail || begun.empty())) {
      ++running;
      return Step{next++, true};
    }
    if (begun.empty())
      return std::nullopt;
    Step step{begun.front(), false};
    begun.pop_front();
    return step;
  }

  /// After the first step of a number.
  void hasBegun(size_t number) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      begun.push_back(number);
      --running;
    }
    changed.notify_all();
  }

private:
  const size_t threads, count;
  std::mutex mutex;
  std::condition_variable changed;
  size_t next = 0, running = 0; ///< first steps
  std::deque<size_t> begun;
};

} // namespace

void runStepsInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> begin,
                        llvm::function_ref<void(size_t)> finish) {
  StepQueue steps(threads, count);
  runOnThreads(std::min<size_t>(threads, count), [&] {
    while (std::optional<StepQueue::Step> step = steps.take()) {
      if (!step->isFirst) {
        finish(step->number);
        continue;
      }
      begin(step->number);
      steps.hasBegun(step->number);
    }
  });
}

} // namespace kgen
