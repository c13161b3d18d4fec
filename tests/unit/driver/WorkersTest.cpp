// Steps that several threads do: each once and in order, and no thread idle at the end.
#include "support/Workers.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

using namespace kgen;

namespace {

/// Steps that began and finished, in order.
class Record {
public:
  void add(size_t number, bool isFirst) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      events.push_back({number, isFirst});
    }
    changed.notify_all();
  }

  void waitFor(size_t number, bool isFirst) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return has({number, isFirst}); });
  }

  size_t indexOf(size_t number, bool isFirst) const {
    return std::find(events.begin(), events.end(), Event{number, isFirst}) - events.begin();
  }

  size_t size() const { return events.size(); }

private:
  using Event = std::pair<size_t, bool>;
  bool has(Event event) const {
    return std::find(events.begin(), events.end(), event) != events.end();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Event> events;
};

} // namespace

TEST_CASE("Both steps of each number are done once, the first one first") {
  for (unsigned threads : {1, 2, 3, 7})
    for (size_t count : {0, 1, 2, 3, 8, 50}) {
      Record record;
      runStepsInParallel(
          threads, count, [&](size_t i) { record.add(i, true); },
          [&](size_t i) { record.add(i, false); });
      CHECK(record.size() == 2 * count);
      for (size_t i = 0; i < count; ++i) {
        CHECK(record.indexOf(i, true) < record.indexOf(i, false));
        CHECK(record.indexOf(i, false) < record.size());
      }
    }
}

TEST_CASE("One thread finishes what it began before it begins anything else") {
  Record record;
  runStepsInParallel(
      1, 3, [&](size_t i) { record.add(i, true); }, [&](size_t i) { record.add(i, false); });
  CHECK(record.indexOf(0, false) < record.indexOf(1, true));
  CHECK(record.indexOf(1, false) < record.indexOf(2, true));
}

TEST_CASE("The last numbers begin first, so that two threads share three") {
  Record record;
  runStepsInParallel(
      2, 3,
      [&](size_t i) {
        record.add(i, true);
        if (i < 2) // until both threads have begun one, and the other one 2
          record.waitFor(i + 1, true);
      },
      [&](size_t i) { record.add(i, false); });
  CHECK(record.indexOf(2, true) < record.indexOf(0, false));
  CHECK(record.size() == 6);
}
