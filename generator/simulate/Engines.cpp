// See Engines.h.
#include "simulate/Engines.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace kgen {

int Engines::addEngine(std::string name) {
  engines.push_back({std::move(name)});
  return static_cast<int>(engines.size()) - 1;
}

int Engines::addQueue(int engine) {
  queues.emplace_back();
  queues.back().engine = engine;
  return static_cast<int>(queues.size()) - 1;
}

Engines::Order Engines::add(int queue, double cycles, llvm::ArrayRef<Order> before) {
  orders.push_back({queue, cycles, 0, after.size(), -1, false});
  after.insert(after.end(), before.begin(), before.end());
  Order order = static_cast<Order>(orders.size());
  queues[queue].orders.push_back(order);
  engines[queues[queue].engine].busy += cycles;
  return order;
}

/// The queues' next orders by the cycle in which they can start.
class Engines::Schedule {
public:
  explicit Schedule(Engines &engines) : all(engines) {
    for (size_t queue = 0; queue < all.queues.size(); ++queue)
      offer(static_cast<int>(queue));
  }

  double run() {
    double end = 0;
    while (!offers.empty()) {
      auto [start, order, queue] = offers.top();
      offers.pop();
      double now = earliest(queue);
      if (now > start) // the engine has taken another one since
        offers.push({now, order, queue});
      else
        end = std::max(end, take(order, queue, start));
    }
    return end;
  }

private:
  using Offer = std::tuple<double, Order, int>;

  double earliest(int queue) const {
    return std::max(all.queues[queue].ready, all.engines[all.queues[queue].engine].free);
  }

  /// Offers the next order of a queue, or lets the queue wait for the first one that is not done.
  void offer(int number) {
    Queue &queue = all.queues[number];
    if (queue.next == queue.orders.size())
      return;
    Order order = queue.orders[queue.next];
    size_t last = order < all.orders.size() ? all.orders[order].firstAfter : all.after.size();
    queue.ready = 0;
    for (size_t i = all.orders[order - 1].firstAfter; i < last; ++i) {
      Entry &before = all.orders[all.after[i] - 1];
      if (!before.isDone) {
        queue.nextWaiting = before.waiting;
        before.waiting = number;
        return;
      }
      queue.ready = std::max(queue.ready, before.start + before.cycles);
    }
    offers.push({earliest(number), order, number});
  }

  double take(Order order, int number, double start) {
    Queue &queue = all.queues[number];
    Entry &entry = all.orders[order - 1];
    entry.start = start;
    entry.isDone = true;
    double end = all.engines[queue.engine].free = start + entry.cycles;
    ++queue.next;
    offer(number);
    for (int waiting = entry.waiting; waiting >= 0;) {
      int following = all.queues[waiting].nextWaiting;
      offer(waiting);
      waiting = following;
    }
    return end;
  }

  Engines &all;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<Offer>> offers;
};

double Engines::run() { return Schedule(*this).run(); }

void BufferOrders::awaitWriters(RegionList regions, llvm::SmallVectorImpl<Order> &after) const {
  Order last = 0;
  for (Regions::Region region : regions)
    if (list[region].writer != last)
      after.push_back(last = list[region].writer);
}

void BufferOrders::awaitAll(RegionList regions, llvm::SmallVectorImpl<Order> &after) const {
  awaitWriters(regions, after);
  for (Regions::Region region : regions)
    for (auto [queue, order] : list[region].readers)
      after.push_back(order);
}

void BufferOrders::read(RegionList regions, int queue, Order order) {
  for (Regions::Region region : regions) {
    auto &readers = list[region].readers;
    auto same = llvm::find_if(readers, [&](auto &reader) { return reader.first == queue; });
    if (same != readers.end())
      same->second = order;
    else
      readers.push_back({queue, order});
  }
}

void BufferOrders::write(RegionList regions, Order order) {
  for (Regions::Region region : regions) {
    list[region].writer = order;
    list[region].readers.clear();
  }
}

} // namespace kgen
