// Races, reads of what nobody wrote, copies that nobody reads.
#include "simulate/Accesses.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

/// A buffer with a division of its own.
struct OwnBuffer : MachineBuffer {
  explicit OwnBuffer(int64_t size, int64_t memory = 1) {
    elements = size;
    space = memory;
    isWritten = true;
    regions = &division;
  }
  OwnBuffer(const OwnBuffer &) = delete;
  Regions division;
};

BufferView part(MachineBuffer &buffer, int64_t first, int64_t count) {
  BufferView view = wholeView(&buffer, count);
  view.offset = first;
  return view;
}

/// A log with one call for each access; faults as their numbers.
struct Log {
  AccessLog accesses;
  std::vector<Hazard> faults;
  std::vector<int64_t> elements;

  void begin(uint32_t step, int core = -1, bool bringsIn = false, bool isFill = false) {
    ElementAccess access;
    access.step = step;
    access.core = core;
    access.bringsIn = bringsIn;
    access.isFill = isFill;
    accesses.begin(access);
  }
  void read(const BufferView &view) { accesses.read(view, onHazard()); }
  void write(const BufferView &view) { accesses.write(view, onHazard()); }

private:
  AccessLog::OnHazard onHazard() {
    return [this](Hazard fault, AccessId, const BufferView &, int64_t element) {
      faults.push_back(fault);
      elements.push_back(element);
    };
  }
};

using Faults = std::vector<Hazard>;

} // namespace

TEST_CASE(
    "iterations of one loop are concurrent, also deep within, loops after each other are not") {
  StepTree steps;
  uint32_t outer = steps.newLoop(), a = steps.newStep(0, outer), b = steps.newStep(0, outer);
  uint32_t inner = steps.newLoop(), c = steps.newStep(a, inner), d = steps.newStep(a, inner);
  uint32_t later = steps.newLoop(), e = steps.newStep(a, later),
           f = steps.newStep(b, steps.newLoop());
  CHECK(steps.areConcurrent(a, b));
  CHECK(steps.areConcurrent(c, d));
  CHECK(steps.areConcurrent(c, f));
  CHECK(steps.areConcurrent(c, b));
  CHECK(!steps.areConcurrent(a, a));
  CHECK(!steps.areConcurrent(a, c));
  CHECK(!steps.areConcurrent(0, d));
  CHECK(!steps.areConcurrent(c, e));
}

TEST_CASE("a read of what nobody wrote names the element") {
  Log log;
  OwnBuffer buffer(8);
  log.begin(0);
  log.write(part(buffer, 0, 5));
  log.begin(0);
  log.read(part(buffer, 0, 5));
  CHECK(log.faults.empty());
  log.begin(0);
  log.read(part(buffer, 2, 6));
  CHECK(log.faults == Faults{Hazard::readsUnwritten});
  CHECK(log.elements == std::vector<int64_t>{5});
}

TEST_CASE("what is there from the beginning can be read") {
  Log log;
  OwnBuffer constant(4), given(4);
  constant.isWritten = false;
  given.isGiven = true;
  log.begin(0);
  log.read(part(constant, 0, 4));
  log.read(part(given, 0, 4));
  CHECK(log.faults.empty());
}

TEST_CASE("concurrent iterations must not write the same, nor read what another one writes") {
  Log log;
  uint32_t loop = log.accesses.steps.newLoop(), a = log.accesses.steps.newStep(0, loop),
           b = log.accesses.steps.newStep(0, loop);
  OwnBuffer buffer(8), read(4);
  log.begin(a);
  log.write(part(buffer, 0, 4));
  log.begin(b);
  log.write(part(buffer, 4, 4));
  CHECK(log.faults.empty());
  log.write(part(buffer, 3, 1));
  log.begin(b);
  log.read(part(buffer, 0, 1));
  CHECK(log.faults == Faults{Hazard::writesConcurrent, Hazard::readsConcurrent});
  // The reader comes first.
  log.faults.clear();
  log.begin(0);
  log.write(part(read, 0, 4));
  log.begin(a);
  log.read(part(read, 0, 4));
  log.begin(b);
  log.read(part(read, 0, 4));
  CHECK(log.faults.empty());
  log.begin(b);
  log.write(part(read, 1, 1));
  CHECK(log.faults == Faults{Hazard::writesConcurrent});
  // After the loop everybody may.
  log.faults.clear();
  log.begin(0);
  log.read(part(buffer, 0, 8));
  log.write(part(buffer, 0, 8));
  CHECK(log.faults.empty());
}

TEST_CASE("a writer conflicts with each of many readers, however many come between") {
  // Iterations of a loop read in turn; any of them but the writer itself is a race.
  for (int readers : {1, 2, 3, 4, 9})
    for (int writer = 0; writer < readers; ++writer) {
      Log log;
      uint32_t loop = log.accesses.steps.newLoop();
      std::vector<uint32_t> steps;
      for (int i = 0; i < readers; ++i)
        steps.push_back(log.accesses.steps.newStep(0, loop));
      OwnBuffer buffer(6);
      log.begin(0);
      log.write(part(buffer, 0, 6));
      for (uint32_t step : steps) {
        log.begin(step);
        log.read(part(buffer, 0, 6));
      }
      log.begin(steps[writer]);
      log.write(part(buffer, 2, 1));
      CHECK(log.faults == Faults(readers - 1, Hazard::writesConcurrent));
    }
}

TEST_CASE("a reader is not forgotten after the cores of another block") {
  // Block a reads, then both cores of block b, then block b writes when its cores are done.
  Log log;
  StepTree &steps = log.accesses.steps;
  uint32_t blocks = steps.newLoop(), a = steps.newStep(0, blocks), b = steps.newStep(0, blocks),
           cores = steps.newLoop(), first = steps.newStep(b, cores),
           second = steps.newStep(b, cores);
  OwnBuffer buffer(8);
  log.begin(0);
  log.write(part(buffer, 0, 8));
  for (uint32_t step : {a, first, second}) {
    log.begin(step);
    log.read(part(buffer, 0, 8));
  }
  log.begin(b);
  log.write(part(buffer, 0, 4));
  CHECK(log.faults == Faults{Hazard::writesConcurrent});
  // The other half was read by block a, too.
  log.begin(b);
  log.write(part(buffer, 4, 4));
  CHECK(log.faults.size() == 2);
  // Block b may write again the elements that it wrote since.
  log.begin(b);
  log.write(part(buffer, 0, 8));
  CHECK(log.faults.size() == 2);
}

TEST_CASE("a core does not reach what another one has in its L1") {
  Log log;
  uint32_t first = log.accesses.steps.newLoop(), a = log.accesses.steps.newStep(0, first);
  uint32_t second = log.accesses.steps.newLoop(), b = log.accesses.steps.newStep(0, second);
  OwnBuffer l1(4, 2), l2(4, 1);
  for (OwnBuffer *buffer : {&l1, &l2}) {
    log.begin(a, 0);
    log.write(part(*buffer, 0, 4));
    log.begin(b, 0);
    log.read(part(*buffer, 0, 4));
  }
  CHECK(log.faults.empty());
  log.begin(b, 1);
  log.read(part(l1, 0, 4));
  log.read(part(l2, 0, 4));
  CHECK(log.faults == Faults{Hazard::readsOtherCore});
}

TEST_CASE("a copy over all that a copy brought and nobody read") {
  Log log;
  OwnBuffer buffer(8);
  auto copy = [&](int64_t first, int64_t count) {
    log.begin(0, -1, true);
    log.write(part(buffer, first, count));
  };
  copy(0, 8);
  log.begin(0);
  log.read(part(buffer, 7, 1));
  copy(0, 8); // one element was read: a halo may be brought for nothing
  CHECK(log.faults.empty());
  copy(4, 4);
  CHECK(log.faults.empty()); // a half is left
  copy(0, 4);
  CHECK(log.faults == Faults{Hazard::overwritesUnused});
  // A fill as well, but not the result of a computation.
  log.faults.clear();
  log.begin(0);
  log.write(part(buffer, 0, 8));
  CHECK(log.faults.empty());
  copy(0, 8);
  log.begin(0, -1, false, true);
  log.write(part(buffer, 0, 8));
  CHECK(log.faults == Faults{Hazard::overwritesUnused});
}
