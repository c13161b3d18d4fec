// When orders of engines start, and which of them wait for which.
#include "simulate/Engines.h"
#include "simulate/Memory.h"

#include <catch2/catch.hpp>

#include <random>

using namespace kgen;

using Order = Engines::Order;
using Orders = llvm::SmallVector<Order, 4>;

TEST_CASE("nothing takes no time") {
  Engines engines;
  engines.addQueue(engines.addEngine("a"));
  CHECK(engines.run() == 0);
}

TEST_CASE("orders of an engine run one after the other, those of two side by side") {
  Engines engines;
  int a = engines.addEngine("a"), b = engines.addEngine("b");
  int queueA = engines.addQueue(a), queueB = engines.addQueue(b);
  Order first = engines.add(queueA, 3, {}), second = engines.add(queueA, 2, {}),
        other = engines.add(queueB, 4, {});
  CHECK(engines.run() == 5);
  CHECK(engines.start(first) == 0);
  CHECK(engines.start(second) == 3);
  CHECK(engines.start(other) == 0);
  CHECK(engines.end(other) == 4);
  CHECK(engines.busyCycles(a) == 5);
  CHECK(engines.engineOf(other) == b);
}

TEST_CASE("an order waits for others, and those after it in its queue for it") {
  Engines engines;
  int copies = engines.addQueue(engines.addEngine("DMA")),
      products = engines.addQueue(engines.addEngine("core"));
  Order copy = engines.add(copies, 5, {}), product = engines.add(products, 10, copy),
        independent = engines.add(products, 1, {}), next = engines.add(copies, 5, product);
  CHECK(engines.run() == 20);
  CHECK(engines.start(product) == 5);
  CHECK(engines.start(independent) == 15);
  CHECK(engines.start(next) == 15);
}

TEST_CASE("an engine serves the queue whose order can start first, at a tie the older order") {
  Engines engines;
  int shared = engines.addEngine("L3"), own = engines.addEngine("core");
  int late = engines.addQueue(shared), early = engines.addQueue(shared),
      core = engines.addQueue(own);
  Order work = engines.add(core, 2, {});
  Order waits = engines.add(late, 1, work), goes = engines.add(early, 3, {}),
        then = engines.add(early, 1, {});
  CHECK(engines.run() == 5);
  CHECK(engines.start(goes) == 0); // the other one is not ready before cycle 2
  CHECK(engines.start(waits) == 3);
  CHECK(engines.start(then) == 4);
}

TEST_CASE("a double buffer hides copies, a single one does not") {
  // Copies of 4 cycles and products of 6, which read what the copy before them brought.
  for (int buffers : {1, 2}) {
    Engines engines;
    int copies = engines.addQueue(engines.addEngine("DMA")),
        products = engines.addQueue(engines.addEngine("core"));
    std::vector<Order> lastProduct(buffers, 0);
    for (int step = 0; step < 10; ++step) {
      Order &before = lastProduct[step % buffers];
      Order copy = engines.add(copies, 4, before ? Orders{before} : Orders{});
      before = engines.add(products, 6, copy);
    }
    CHECK(engines.run() == (buffers == 1 ? 100 : 64));
  }
}

TEST_CASE(
    "random orders start no earlier than all they wait for, and no engine does two at a time") {
  std::mt19937 random(7);
  auto below = [&](size_t n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 50; ++round) {
    Engines engines;
    std::vector<int> queues;
    for (int engine = 0; engine < 4; ++engine)
      for (int id = engines.addEngine("e"), i = below(3) + 1; i > 0; --i)
        queues.push_back(engines.addQueue(id));
    std::vector<Orders> after;
    double busiest = 0, all = 0;
    for (int i = 0; i < 300; ++i) {
      Orders before;
      for (int j = below(4); j > 0 && i > 0; --j)
        before.push_back(below(i) + 1);
      double cycles = below(9);
      all += cycles;
      engines.add(queues[below(queues.size())], cycles, before);
      after.push_back(before);
    }
    double end = engines.run();
    for (size_t engine = 0; engine < engines.engineCount(); ++engine)
      busiest = std::max(busiest, engines.busyCycles(static_cast<int>(engine)));
    CHECK(end >= busiest);
    CHECK(end <= all);
    for (Order order = 1; order <= 300; ++order) {
      for (Order before : after[order - 1])
        REQUIRE(engines.start(order) >= engines.end(before));
      for (Order other = 1; other < order; ++other)
        if (engines.engineOf(order) == engines.engineOf(other)) {
          bool isApart = engines.start(order) >= engines.end(other) ||
                         engines.start(other) >= engines.end(order);
          REQUIRE(isApart);
          if (engines.queueOf(order) == engines.queueOf(other))
            REQUIRE(engines.start(order) >= engines.start(other));
        }
    }
  }
}

TEST_CASE(
    "what reads waits for writers, what writes for readers, too, until they are overwritten") {
  MachineBuffer buffer;
  buffer.elements = 128;
  Regions regions;
  BufferOrders orders;
  auto part = [&](int64_t first, int64_t count) {
    BufferView view = wholeView(&buffer, count);
    view.offset = first;
    BufferOrders::RegionList list = regions.regionsOf(view);
    orders.follow(regions);
    return list;
  };
  Orders after;
  orders.write(part(0, 128), 1);
  orders.read(part(0, 64), /*queue=*/0, 2);
  orders.read(part(0, 64), /*queue=*/0, 3); // of the same queue: done after order 2
  orders.read(part(64, 64), /*queue=*/1, 4);
  orders.awaitWriters(part(0, 64), after);
  CHECK(after == Orders{1});
  after.clear();
  orders.awaitAll(part(63, 1), after); // of a part, nobody asked before
  CHECK(after == Orders{1, 3});
  orders.write(part(0, 64), 5);
  after.clear();
  orders.awaitAll(part(63, 1), after);
  CHECK(after == Orders{5});
  after.clear();
  orders.awaitAll(part(64, 1), after);
  CHECK(after == Orders{1, 4});
}
