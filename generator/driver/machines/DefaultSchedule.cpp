#include "driver/machines/DefaultSchedule.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>

namespace kgen {

namespace {

/// Packed tiles of m and n: 4 x 8, as the small products of such cores are; of k 8, or 4 where that
/// leaves room for larger blocks.
constexpr int64_t tileRows = 4, tileColumns = 8, tileDepths[] = {8, 4};
constexpr int64_t doubleBuffers = 2;
/// Slower than the fastest by this factor is as fast: time is an estimate.
constexpr double equalTime = 1.02;

int64_t bytesOf(mlir::Type type) { return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8); }

double productsOf(const MachineSpec &machine, mlir::Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  auto found = machine.productsPerCycle.find(name);
  return found == machine.productsPerCycle.end() ? 1 : found->second;
}

/// Sizes of a block and of a core's part of it.
struct Blocks {
  int64_t m, n, k;             ///< of a block, in L2
  int64_t coreM, coreN, coreK; ///< of a core, in L1
  int64_t tileK;
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
    for (int64_t coreM : parts(tileRows, op.sizeOf('m'), rows))
      for (int64_t coreN : parts(tileColumns, op.sizeOf('n'), columns))
        for (int64_t depth : tileDepths)
          for (int64_t k : steps(depth, op.sizeOf('k')))
            for (int64_t coreK : steps(depth, k)) {
              Blocks blocks{coreM * rows, coreN * columns, k, coreM, coreN, coreK, depth};
              if (coreK <= k && fits(blocks))
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
  /// The part of each core if there are 1, 2, 3 ... blocks with so many cores side by side: whole
  /// tiles, and none of the blocks has much less to do than the others.
  static std::vector<int64_t> parts(int64_t tile, int64_t size, int64_t cores) {
    std::vector<int64_t> result;
    for (int64_t blocks = 1; result.empty() || result.back() > tile; ++blocks) {
      int64_t part = llvm::alignTo(llvm::divideCeil(size, cores * blocks), tile);
      if (result.empty() || part < result.back())
        result.push_back(part);
    }
    return result;
  }

  /// The tile times powers of two, up to what covers the loop.
  static std::vector<int64_t> steps(int64_t tile, int64_t size) {
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
    double count = (m / b.m) * (n / b.n) * batch, rounds = std::ceil(count / machine.blocks());
    double inL2 = (b.m * lhs + b.n * rhs) * k, outOfL2 = double(b.m) * b.n * out;
    double inL1 = rows * columns * double(b.coreM * lhs + b.coreN * rhs) * k;
    double cores = rows * columns;
    double coreBytes = b.coreM * lhs + b.coreN * rhs; // of one k, into a core's L1
    // A core waits for the first copies of each step of the block, the others are beside its
    // products.
    double step = coreBytes * b.coreK / machine.l2BytesPerCycle +
                  b.k * std::max(double(b.coreM) * b.coreN / productsPerCycle(),
                                 coreBytes / machine.l2BytesPerCycle);
    double start = (b.m * lhs + b.n * rhs) * double(b.k) / machine.l3BytesPerCycle;
    double end = outOfL2 / machine.l3BytesPerCycle + outOfL2 / (cores * machine.l2BytesPerCycle);
    Estimate result;
    result.cycles =
        std::max(rounds * (start + std::max(k / b.k * step, inL2 / machine.l3BytesPerCycle) + end),
                 count * (inL2 + outOfL2) / machine.l3BytesPerCycle);
    result.l3Bytes = count * (inL2 + outOfL2);
    result.l2Bytes = count * (inL1 + outOfL2);
    return result;
  }

  double productsPerCycle() const { return productsOf(machine, op.operands[0].elementType); }

  const MachineSpec &machine;
  const ScheduledOperator &op;
  int64_t lhs, rhs, out, epilogueBytes = 0; ///< bytes of an element
  int64_t rows = 1, columns = 1, batch = 1;
};

ScheduleSize sizeOf(int64_t number) { return {number, "", {}}; }

Located<std::string> memory(const char *name) { return {name, {}}; }

ScheduleLevel levelOf(ScheduleLevel::Kind kind, const std::map<char, int64_t> &sizes,
                      const std::string &order) {
  ScheduleLevel level{kind, {}, {}, {}, 1};
  for (char loop : order)
    if (auto size = sizes.find(loop); size != sizes.end())
      level.sizes.push_back({std::string(1, loop), sizeOf(size->second)});
  return level;
}

void keepInputs(ScheduleLevel &level, const ScheduledOperator &op, const char *where) {
  for (const ScheduledOperand &operand : op.operands)
    if (operand.name != "out")
      level.keep[operand.name] = memory(where);
}

std::optional<ScheduleSpec> scheduleProduct(const MachineSpec &machine, const ScheduledOperator &op,
                                            llvm::ArrayRef<mlir::Type> epilogue) {
  std::optional<Blocks> blocks = BlockSearch(machine, op, epilogue).best();
  if (!blocks)
    return std::nullopt;
  ScheduleSpec schedule;
  schedule.fusesEpilogue = true;
  std::map<char, int64_t> sizes;
  for (char loop : op.loops)
    sizes[loop] = 1;
  sizes['m'] = blocks->m;
  sizes['n'] = blocks->n;
  sizes.erase('k');
  ScheduleLevel block = levelOf(ScheduleLevel::Kind::block, sizes, op.loops);
  block.keep["out"] = memory("L2");
  ScheduleLevel core =
      levelOf(ScheduleLevel::Kind::core, {{'m', blocks->coreM}, {'n', blocks->coreN}}, op.loops);
  core.keep["out"] = memory("L1");
  auto copies = [&](int64_t step, const char *where) {
    ScheduleLevel level = levelOf(ScheduleLevel::Kind::loop, {{'k', step}}, "k");
    keepInputs(level, op, where);
    level.buffers = doubleBuffers;
    return level;
  };
  schedule.nest = {block, copies(blocks->k, "L2"), core, copies(blocks->coreK, "L1")};
  schedule.tiles = {
      {"m", sizeOf(tileRows)}, {"n", sizeOf(tileColumns)}, {"k", sizeOf(blocks->tileK)}};
  return schedule;
}

/// Parts of a convolution: they divide its loops.
class WindowSearch {
public:
  WindowSearch(const MachineSpec &machine, const ScheduledOperator &op) : machine(machine), op(op) {
    rows = machine.coreGrid.size() > 1 ? machine.coreGrid[0] : 1;
    columns = machine.coreGrid.back();
  }

  std::optional<ScheduleSpec> best() {
    double minCycles = 0;
    std::optional<ScheduleSpec> chosen;
    bool hasRows = op.has('y');
    for (int64_t x : divisors(op.sizeOf('x')))
      for (int64_t y : hasRows ? divisors(op.sizeOf('y')) : std::vector<int64_t>{1})
        for (int64_t f : divisors(op.sizeOf('f')))
          for (int64_t step : divisors(op.sizeOf('k'))) {
            std::optional<double> cycles = cyclesOf(x, y, f, step);
            if (!cycles || (chosen && *cycles >= minCycles))
              continue;
            minCycles = *cycles;
            chosen = schedule();
          }
    return chosen;
  }

private:
  static std::vector<int64_t> divisors(int64_t size) {
    std::vector<int64_t> result;
    for (int64_t one = 1; one <= size; ++one)
      if (size % one == 0)
        result.push_back(one);
    return result;
  }

  int64_t bytes(const ScheduledOperand &operand, const std::map<char, int64_t> &sizes) const {
    return operand.elements(sizes) * bytesOf(operand.elementType);
  }

  /// Parts of a core of this size; nothing if they do not fit.
  std::optional<double> cyclesOf(int64_t x, int64_t y, int64_t f, int64_t step) {
    auto parts = [](int64_t size, int64_t part, int64_t most) {
      int64_t count = std::min(most, size / part);
      while ((size / part) % count != 0)
        --count;
      return count;
    };
    usedRows = op.has('y') ? parts(op.sizeOf('y'), y, rows) : 1;
    usedColumns = parts(op.sizeOf('f'), f, columns);
    core = {{'b', 1}, {'x', x}, {'y', y}, {'f', f}, {'u', 1}, {'k', step}};
    block = core;
    block['y'] *= usedRows;
    block['f'] *= usedColumns;
    block['k'] = op.sizeOf('k');
    block['u'] = op.has('u') ? op.sizeOf('u') : 1;
    const ScheduledOperand &lhs = op.operands[0], &rhs = op.operands[1], &out = op.operands[2];
    int64_t copied = bytes(lhs, core) + bytes(rhs, core);
    int64_t l2 = bytes(lhs, block) + bytes(rhs, block) + bytes(out, block);
    if (l2 > machine.l2.bytes || doubleBuffers * copied + bytes(out, core) > machine.l1.bytes)
      return std::nullopt;
    double blocks = 1, products = 1;
    for (auto [loop, size] : llvm::zip_equal(op.loops, op.sizes)) {
      blocks *= double(size) / block[loop];
      products *= block[loop];
    }
    double steps = double(block['u']) * block['k'] / step;
    double cores = usedRows * usedColumns;
    double work = std::max(products / cores / productsOf(machine, lhs.elementType),
                           steps * copied / machine.l2BytesPerCycle);
    return blocks * (l2 / machine.l3BytesPerCycle + work + copied / machine.l2BytesPerCycle +
                     bytes(out, core) / machine.l2BytesPerCycle);
  }

  ScheduleSpec schedule() const {
    ScheduleSpec schedule;
    auto only = [&](std::map<char, int64_t> sizes, const std::string &loops) {
      std::map<char, int64_t> result;
      for (char loop : loops)
        if (op.has(loop))
          result[loop] = sizes[loop];
      return result;
    };
    ScheduleLevel inL2 = levelOf(ScheduleLevel::Kind::block, only(block, "byxf"), op.loops);
    keepInputs(inL2, op, "L2");
    inL2.keep["out"] = memory("L2");
    ScheduleLevel inL1 = levelOf(ScheduleLevel::Kind::core, only(core, "yf"), op.loops);
    inL1.keep["out"] = memory("L1");
    schedule.nest = {inL2, inL1};
    if (op.has('u'))
      schedule.nest.push_back(levelOf(ScheduleLevel::Kind::loop, {{'u', 1}}, "u"));
    ScheduleLevel copies = levelOf(ScheduleLevel::Kind::loop, only(core, "k"), "k");
    keepInputs(copies, op, "L1");
    copies.buffers = doubleBuffers;
    schedule.nest.push_back(copies);
    return schedule;
  }

  const MachineSpec &machine;
  const ScheduledOperator &op;
  int64_t rows = 1, columns = 1, usedRows = 1, usedColumns = 1;
  std::map<char, int64_t> core, block;
};

/// Rows as long as they fit, in powers of two; each core has a part of a block.
std::optional<ScheduleSpec> scheduleElementwise(const MachineSpec &machine,
                                                const ScheduledOperator &op) {
  int64_t bytes = 0, rows = machine.coreGrid.size() > 1 ? machine.coreGrid[0] : 1;
  int64_t columns = machine.coreGrid.back();
  for (const ScheduledOperand &operand : op.operands)
    bytes += bytesOf(operand.elementType);
  int64_t most = std::min(machine.l1.bytes, machine.l2.bytes / (rows * columns)) / bytes;
  if (most < 1)
    return std::nullopt;
  auto part = [](int64_t size, int64_t cores, int64_t limit) {
    int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(size, cores));
    return std::min<int64_t>(wanted, llvm::bit_floor(uint64_t(limit)));
  };
  std::map<char, int64_t> core{{'n', part(op.sizeOf('n'), columns, most)}}, block;
  block['n'] = core['n'] * columns;
  if (op.has('m')) {
    core['m'] = part(op.sizeOf('m'), rows, most / core['n']);
    block['m'] = core['m'] * rows;
  }
  for (char loop : op.loops)
    block.insert({loop, 1});
  ScheduleSpec schedule;
  ScheduleLevel inL2 = levelOf(ScheduleLevel::Kind::block, block, op.loops);
  ScheduleLevel inL1 = levelOf(ScheduleLevel::Kind::core, core, op.loops);
  keepInputs(inL2, op, "L2");
  keepInputs(inL1, op, "L1");
  inL2.keep["out"] = memory("L2");
  inL1.keep["out"] = memory("L1");
  schedule.nest = {inL2, inL1};
  return schedule;
}

} // namespace

std::optional<ScheduleSpec> defaultSchedule(const MachineSpec &machine, const ScheduledOperator &op,
                                            llvm::ArrayRef<mlir::Type> epilogue) {
  std::optional<ScheduleSpec> schedule =
      op.kind == ScheduledKind::product  ? scheduleProduct(machine, op, epilogue)
      : op.kind == ScheduledKind::window ? WindowSearch(machine, op).best()
                                         : scheduleElementwise(machine, op);
  if (schedule)
    schedule->name.value = "default";
  return schedule;
}

} // namespace kgen
