// Time on a machine: engines that work side by side, each on one order after the other.
#pragma once

#include "simulate/Regions.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

/// Orders come in queues, each for one engine. Those of a queue run in the order in which they
/// came; of the queues of an engine, the one whose first order can start earliest is served next,
/// at a tie the one whose order came earlier. An order runs without interruption.
class Engines {
public:
  /// Numbered from 1 in the order in which they are added; 0 is no order.
  using Order = uint32_t;

  int addEngine(std::string name);
  int addQueue(int engine);

  /// An order that takes so many cycles and starts when those of `after`, which came before it, are
  /// done.
  Order add(int queue, double cycles, llvm::ArrayRef<Order> after);

  /// Gives each order its start. Returns the cycle in which the last one is done.
  double run();

  size_t orderCount() const { return orders.size(); }
  size_t queueCount() const { return queues.size(); }
  double start(Order order) const { return orders[order - 1].start; }
  double end(Order order) const { return start(order) + orders[order - 1].cycles; }
  int engineOf(Order order) const { return queues[orders[order - 1].queue].engine; }
  int queueOf(Order order) const { return orders[order - 1].queue; }
  size_t engineCount() const { return engines.size(); }
  const std::string &engineName(int engine) const { return engines[engine].name; }
  double busyCycles(int engine) const { return engines[engine].busy; }

private:
  struct Engine {
    std::string name;
    double free = 0, busy = 0; ///< cycle in which it is free again; cycles of its orders
  };
  struct Queue {
    int engine = 0;
    std::vector<Order> orders;
    size_t next = 0;      ///< of `orders`
    double ready = 0;     ///< cycle in which all is done that the next one waits for
    int nextWaiting = -1; ///< of the queues that wait for the same order
  };
  struct Entry {
    int queue;
    double cycles, start;
    size_t firstAfter; ///< in `after`, up to that of the next order
    int waiting;       ///< a queue whose next order waits for this one; -1: none
    bool isDone;
  };
  class Schedule;

  std::vector<Engine> engines;
  std::vector<Queue> queues;
  std::vector<Entry> orders;
  std::vector<Order> after;
};

/// Dependences between orders: those that wrote what an order reads, and those that wrote or read
/// what it overwrites, must be done before it. Buffers that take the place of each other share one.
class BufferOrders {
public:
  using Order = Engines::Order;
  using RegionList = llvm::ArrayRef<Regions::Region>;

  /// To be called when there may be new regions.
  void follow(const Regions &regions) { followRegions(list, regions); }
  void awaitWriters(RegionList regions, llvm::SmallVectorImpl<Order> &after) const;
  void awaitAll(RegionList regions, llvm::SmallVectorImpl<Order> &after) const;
  void read(RegionList regions, int queue, Order order);
  void write(RegionList regions, Order order);

private:
  struct RegionOrders {
    Order writer = 0;
    llvm::SmallVector<std::pair<int, Order>, 2> readers; ///< the last of each queue since then
  };
  std::vector<RegionOrders> list;
};

} // namespace kgen
