// The machine while it runs a function: who executes what where, how much moves, what is held, what
// goes wrong.
#pragma once

#include "simulate/Accesses.h"
#include "simulate/Report.h"
#include "simulate/Sites.h"

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace kgen {

/// The loop around an iteration.
enum class LoopKind {
  sequential,
  blocks, ///< scf.forall on #gpu.block: one block after the other on each array of cores
  cores   ///< scf.forall on #gpu.thread: one iteration a core
};

/// Kinds of work of a core.
enum class WorkKind {
  other,
  product ///< sums of products
};

/// Products that a bound of traffic is known for: the type of their factors, and the most window
/// positions that one element of a factor is in, 1 of matrix products.
using BoundedProducts = std::map<std::pair<Number, int64_t>, int64_t>;

class MachineRun {
public:
  MachineRun(const MachineSpec &spec, const Sites &sites);

  // Loops. `number` counts the iterations of a parallel loop; `at` are its induction variables.
  uint32_t enterLoop(LoopKind kind, int site, int64_t trips);
  void leaveLoop(LoopKind kind);
  void enterIteration(LoopKind kind, uint32_t loop, int site, int64_t number,
                      llvm::ArrayRef<int64_t> at);
  void leaveIteration(LoopKind kind);

  // Memory. `site` allocates it.
  void allocate(int site, MachineBuffer &buffer);
  void release(const MachineBuffer &buffer);

  // Work.
  void transfer(int site, const BufferView &from, const BufferView &to);
  void fill(int site, const BufferView &to);
  /// `points` multiply-adds of factors of that type, or as many steps of something else. `windows`:
  /// as in BoundedProducts; 0: no bound is known.
  void compute(int site, llvm::ArrayRef<BufferView> inputs, llvm::ArrayRef<BufferView> outputs,
               int64_t points, Number speedType, WorkKind work, int64_t windows = 0);

  /// Reports a fault of the operation in the current step.
  void fault(int site, const std::string &kind, const std::string &message,
             const std::string &hint = "");

  /// Lets time pass, and says what there was.
  void finish(SimulationReport &report, bool withTimeline);
  const BoundedProducts &boundedProducts() const { return bounded; }
  /// Returns what moved in and out of L2 and L1, and the least for so many products.
  std::vector<LevelBound> boundsOf(const BoundedProducts &products, int64_t onceBytes) const;

  Faults faults;

private:
  struct Frame {
    LoopKind kind;
    int site;
    uint32_t step; ///< before the iteration
    llvm::SmallVector<int64_t, 3> at;
  };
  /// Queues for the engines of a core; -1: not made yet. L3 is shared, its queue is the core's own.
  struct CoreQueues {
    int l3 = -1, dma = -1, unit = -1;
  };
  /// Bytes that are allocated now, by memory space.
  using Held = std::array<int64_t, 3>;

  std::string placeText() const;
  std::string arrayName() const;
  int queueOfL3();
  int queueOfDma();
  int queueOfUnit();
  void order(int site, int queue, double cycles, llvm::ArrayRef<BufferView> inputs,
             llvm::ArrayRef<BufferView> outputs);
  void access(int site, llvm::ArrayRef<BufferView> inputs, llvm::ArrayRef<BufferView> outputs,
              bool bringsIn, bool isFill);
  void report(Hazard fault, int site, AccessId other, const BufferView &view, int64_t element);
  void checkCapacity(int site, const MachineBuffer &buffer);
  void checkOperands(int site, llvm::ArrayRef<BufferView> views);
  double productsPerCycle(int site, Number type);
  int64_t coreNumber() const { return core < 0 ? -1 : array * spec.cores() + core; }

  const MachineSpec &spec;
  const Sites &sites;
  AccessLog accesses;
  Engines engines;
  std::map<int64_t, CoreQueues> queues; ///< by array and core; those of no core by -1 - array
  std::map<int, Regions> regions;       ///< by site
  std::map<std::tuple<int, int64_t>, std::unique_ptr<BufferOrders>> physical; ///< by site and core
  std::vector<int> orderSites;
  std::vector<Frame> frames;
  uint32_t step = 0;
  int64_t array = 0, core = -1; ///< array of cores; core in it, -1: outside of loops over cores
  int64_t coreTrips = 1;        ///< of the loop over cores
  Held ofBlock{}, ofCore{}, peak{};
  SimulationReport counts; ///< traffic, fills, products, elements
  double productCycles = 0;
  BoundedProducts bounded;
};

} // namespace kgen
