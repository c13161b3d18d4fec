#include "measure/ThreadPool.h"

#include "measure/Clock.h"

#include <vector>

#ifdef KGEN_HAS_PTHREADPOOL
#include "kgen_pthreadpool.h"

#include <pthreadpool.h>
#endif

namespace kgen {

struct ThreadPool::State {
  /// As <library>_executor in a generated header.
  struct {
    void (*run)(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                void *argument) = nullptr;
    void *user = nullptr;
    uint32_t concurrency = 0;
  } executor;
  unsigned threads = 1;
#ifdef KGEN_HAS_PTHREADPOOL
  ~State() {
    if (executor.user)
      pthreadpool_destroy(static_cast<pthreadpool_t>(executor.user));
  }
#endif
};

ThreadPool::ThreadPool([[maybe_unused]] unsigned threads) : state(std::make_unique<State>()) {
#ifdef KGEN_HAS_PTHREADPOOL
  if (threads > 1) {
    state->threads = threads;
    state->executor.run = kgen_pthreadpool_run;
    state->executor.user = pthreadpool_create(threads);
    state->executor.concurrency = threads;
  }
#endif
}

ThreadPool::ThreadPool(ThreadPool &&) noexcept = default;
ThreadPool::~ThreadPool() = default;

bool ThreadPool::available() {
#ifdef KGEN_HAS_PTHREADPOOL
  return true;
#else
  return false;
#endif
}

unsigned ThreadPool::threads() const { return state->threads; }

const void *ThreadPool::executor() const { return state->threads > 1 ? &state->executor : nullptr; }

void ThreadPool::run(uint32_t tasks, const std::function<void(uint32_t)> &task) const {
  auto call = [](void *argument, uint32_t index) {
    (*static_cast<const std::function<void(uint32_t)> *>(argument))(index);
  };
  void *argument = const_cast<std::function<void(uint32_t)> *>(&task);
  if (state->executor.run)
    return state->executor.run(state->executor.user, tasks, call, argument);
  for (uint32_t i = 0; i < tasks; ++i)
    task(i);
}

double ThreadPool::rate(const std::function<void(uint32_t)> &task) const {
  std::vector<double> seconds(threads());
  run(threads(), [&](uint32_t i) {
    double start = threadSeconds();
    task(i);
    seconds[i] = threadSeconds() - start;
  });
  double sum = 0;
  for (double each : seconds)
    sum += 1 / each;
  return sum;
}

double ThreadPool::now() const { return state->threads > 1 ? wallSeconds() : threadSeconds(); }

} // namespace kgen
