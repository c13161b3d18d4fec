#include "schedules/DefaultSchedule.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>

namespace kgen {

namespace {

/// Packed tiles of m, n and k: 4 x 8 x 8, as the small products of such cores are.
constexpr int64_t tileRows = 4, tileColumns = 8, tileDepth = 8;
constexpr int64_t doubleBuffers = 2;
/// Slower than the fastest by this factor is as fast: time is an estimate.
constexpr double equalTime = 1.02;

int64_t bytesOf(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

/// Sizes of a block and of a core's part of it.
struct Blocks {
  int64_t m, n, k;             ///< of a block, in L2
  int64_t coreM, coreN, coreK; ///< of a core, in L1
};

struct Estimate {
  double cycles = 0;
  double l3Bytes = 0, l2Bytes = 0;
};

class BlockSearch {
public:
  BlockSearch(const MachineSpec &machine, const ScheduledOperator &op,
              llvm::ArrayRef<mlir::Type> epilogue)
      : machine(machine), op(op), lhs(bytesOf(op.operands[0].elementType)),
        rhs(bytesOf(op.operands[1].elementType)), out(bytesOf(op.operands[2].elementType)) {
    // Operands of the epilogue are in L1 beside the accumulators.
    for (size_t i = 1; i + 1 < epilogue.size(); ++i)
      epilogueBytes += bytesOf(epilogue[i]);
    rows = machine.coreGrid.size() > 1 ? machine.coreGrid[0] : 1;
    columns = machine.coreGrid.back();
    for (char loop : op.loops)
      if (loop != 'm' && loop != 'n' && loop != 'k')
        batch *= op.sizeOf(loop);
  }

  std::optional<Blocks> best() {
    std::vector<std::pair<Blocks, Estimate>> fitting;
    for (int64_t coreM : sizes(tileRows, op.sizeOf('m')))
      for (int64_t coreN : sizes(tileColumns, op.sizeOf('n')))
        for (int64_t k : sizes(tileDepth, op.sizeOf('k')))
          for (int64_t coreK : sizes(tileDepth, k)) {
            Blocks blocks{coreM * rows, coreN * columns, k, coreM, coreN, coreK};
            if (k % coreK == 0 && fits(blocks))
              fitting.push_back({blocks, estimate(blocks)});
          }
    if (fitting.empty())
      return std::nullopt;
    double fastest = std::min_element(fitting.begin(), fitting.end(), [](auto &a, auto &b) {
                       return a.second.cycles < b.second.cycles;
                     })->second.cycles;
    const std::pair<Blocks, Estimate> *chosen = nullptr;
    for (const auto &one : fitting) {
      if (one.second.cycles > equalTime * fastest)
        continue;
      auto key = [](const Estimate &e) { return std::make_tuple(e.l3Bytes, e.l2Bytes, e.cycles); };
      if (!chosen || key(one.second) < key(chosen->second))
        chosen = &one;
    }
    return chosen->first;
  }

private:
  /// The tile times powers of two, up to what covers the loop.
  static std::vector<int64_t> sizes(int64_t tile, int64_t size) {
    std::vector<int64_t> result{tile};
    while (result.back() < size)
      result.push_back(2 * result.back());
    return result;
  }

  bool fits(const Blocks &b) const {
    int64_t l2 = doubleBuffers * (b.m * lhs + b.n * rhs) * b.k + b.m * b.n * out;
    int64_t l1 = doubleBuffers * (b.coreM * lhs + b.coreN * rhs) * b.coreK +
                 b.coreM * b.coreN * (out + epilogueBytes);
    return l2 <= machine.l2.bytes && l1 <= machine.l1.bytes;
  }

  Estimate estimate(const Blocks &b) const {
    double m = llvm::alignTo(op.sizeOf('m'), b.m), n = llvm::alignTo(op.sizeOf('n'), b.n);
    double k = llvm::alignTo(op.sizeOf('k'), b.k);
    double count = (m / b.m) * (n / b.n) * batch;
    double inL2 = (b.m * lhs + b.n * rhs) * k, outOfL2 = double(b.m) * b.n * out;
    double inL1 = rows * columns * double(b.coreM * lhs + b.coreN * rhs) * k;
    double cores = rows * columns;
    double coreBytes = b.coreM * lhs + b.coreN * rhs; // of one k, into a core's L1
    // A core waits for the first copies of each step of the block, the others are beside its products.
    double step = coreBytes * b.coreK / machine.l2BytesPerCycle +
                  b.k * std::max(double(b.coreM) * b.coreN / productsPerCycle(),
                                 coreBytes / machine.l2BytesPerCycle);
    double start = (b.m * lhs + b.n * rhs) * double(b.k) / machine.l3BytesPerCycle;
    double end = outOfL2 / machine.l3BytesPerCycle + outOfL2 / (cores * machine.l2BytesPerCycle);
    Estimate result;
    result.cycles =
        count * (start + std::max(k / b.k * step, inL2 / machine.l3BytesPerCycle) + end);
    result.l3Bytes = count * (inL2 + outOfL2);
    result.l2Bytes = count * (inL1 + outOfL2);
    return result;
  }

  double productsPerCycle() const {
    std::string type;
    llvm::raw_string_ostream(type) << op.operands[0].elementType;
    auto found = machine.productsPerCycle.find(type);
    return found == machine.productsPerCycle.end() ? 1 : found->second;
  }

  const MachineSpec &machine;
  const ScheduledOperator &op;
  int64_t lhs, rhs, out, epilogueBytes = 0; ///< bytes of an element
  int64_t rows = 1, columns = 1, batch = 1;
};

ScheduleSize sizeOf(int64_t number) { return {number, "", {}}; }

Located<std::string> memory(const char *name) { return {name, {}}; }

} // namespace

std::optional<ScheduleSpec> defaultSchedule(const MachineSpec &machine, const ScheduledOperator &op,
                                            llvm::ArrayRef<mlir::Type> epilogue) {
  std::optional<Blocks> blocks = BlockSearch(machine, op, epilogue).best();
  if (!blocks)
    return std::nullopt;
  ScheduleSpec schedule;
  schedule.name.value = "default";
  schedule.fusesEpilogue = true;
  ScheduleLevel block{ScheduleLevel::Kind::block, {}, {}, {{"out", memory("L2")}}, 1};
  for (char loop : op.loops)
    if (loop != 'm' && loop != 'n' && loop != 'k')
      block.sizes.push_back({std::string(1, loop), sizeOf(1)});
  block.sizes.push_back({"m", sizeOf(blocks->m)});
  block.sizes.push_back({"n", sizeOf(blocks->n)});
  ScheduleLevel core{ScheduleLevel::Kind::core,
                     {},
                     {{"m", sizeOf(blocks->coreM)}, {"n", sizeOf(blocks->coreN)}},
                     {{"out", memory("L1")}},
                     1};
  auto copies = [](int64_t step, const char *level) {
    return ScheduleLevel{ScheduleLevel::Kind::loop,
                         {},
                         {{"k", sizeOf(step)}},
                         {{"lhs", memory(level)}, {"rhs", memory(level)}},
                         doubleBuffers};
  };
  schedule.nest = {block, copies(blocks->k, "L2"), core, copies(blocks->coreK, "L1")};
  schedule.tiles = {{"m", sizeOf(tileRows)}, {"n", sizeOf(tileColumns)}, {"k", sizeOf(tileDepth)}};
  return schedule;
}

} // namespace kgen
