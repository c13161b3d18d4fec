#include "support/Workers.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace kgen {

void runInParallel(unsigned threads, size_t count, llvm::function_ref<void(size_t)> work) {
  std::atomic<size_t> next{0};
  auto takeTurns = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < std::min<size_t>(threads, count); ++i)
      others.emplace_back(takeTurns);
  } catch (const std::system_error &) {
    // Those that there are do all of it.
  }
  takeTurns();
  for (std::thread &one : others)
    one.join();
}

} // namespace kgen
