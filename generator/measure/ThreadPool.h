// The threads on which kgen measures: a pthreadpool with the executor that users get.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace kgen {

class ThreadPool {
public:
  /// `threads` of them, the caller's included; more than one only where available().
  explicit ThreadPool(unsigned threads);
  ThreadPool(ThreadPool &&) noexcept;
  ~ThreadPool();

  /// True if kgen was built with pthreadpool.
  static bool available();

  unsigned threads() const;
  /// Runs task(i) for each i < tasks, at the same time as far as there are threads.
  void run(uint32_t tasks, const std::function<void(uint32_t)> &task) const;
  /// Sum over the threads of how often a second each does its task, by its own processor time: what
  /// they can do while they run, whatever else the machine has to do.
  double rate(const std::function<void(uint32_t)> &task) const;
  /// The argument <library>_executor of generated code; null for one thread.
  const void *executor() const;
  /// Seconds by the clock that fits: processor time for one thread, else the wall's.
  double now() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace kgen
