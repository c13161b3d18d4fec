#include "transforms/gpu/Traffic.h"

#include "costmodel/GpuTransposition.h"
#include "costmodel/Rounding.h"
#include "transforms/gpu/KernelBuilder.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/TypeSwitch.h>

#include <cmath>
#include <set>

using namespace mlir;

namespace kgen::gpu_kernels {

namespace {

constexpr int64_t widestBytes = 16;    ///< of an access of a lane
constexpr int64_t mostBlocks = 16;     ///< that are followed
constexpr int64_t mostIterations = 64; ///< of a loop, that are followed
constexpr int64_t fewIterations = 16;  ///< of longer ones
constexpr size_t mostLanes = 64;       ///< of a subgroup

/// An integer in each lane; empty: not known.
using Lanes = SmallVector<int64_t, 32>;

/// Follows the threads of one subgroup.
class Subgroup {
public:
  Subgroup(gpu::GPUFuncOp kernel, int64_t lanes) : kernel(kernel), lanes(lanes) {
    kernel.walk([&](Operation *op) {
      if (isGlobal(op))
        for (Operation *around = op; around != kernel; around = around->getParentOp())
          moving.insert(around);
    });
  }

  /// Adds, `weight` times, what threads from `first` on move.
  void run(const std::array<int64_t, 3> &inBlock, ArrayRef<int32_t> threads, int64_t first,
           double weight) {
    values.clear();
    loaded.clear();
    block = inBlock;
    active.assign(lanes, true);
    for (auto &ids : thread)
      ids.assign(lanes, 0);
    const int64_t all = int64_t(threads[0]) * threads[1] * threads[2];
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t number = first + lane;
      active[lane] = number < all;
      thread[0][lane] = number % threads[0];
      thread[1][lane] = number / threads[0] % threads[1];
      thread[2][lane] = number / threads[0] / threads[1];
    }
    this->weight = weight;
    forgetAccesses();
    runBlock(kernel.getBody().front());
  }

  double sectorsRead = 0, sectorsWritten = 0;

private:
  static bool isGlobal(Operation *op) {
    auto isInMemory = [](Value memref) {
      return !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memref.getType()));
    };
    return TypeSwitch<Operation *, bool>(op)
        .Case<memref::LoadOp, memref::StoreOp>(
            [&](auto access) { return isInMemory(access.getMemRef()); })
        .Case<vector::LoadOp, vector::StoreOp>(
            [&](auto access) { return isInMemory(access.getBase()); })
        .Default(false);
  }

  const Lanes &lanesOf(Value value) {
    static const Lanes unknown;
    auto found = values.find(value);
    return found == values.end() ? unknown : found->second;
  }

  void set(Value value, Lanes known) {
    if (known.empty())
      values.erase(value);
    else
      values[value] = std::move(known);
  }

  void forgetAccesses() {
    for (auto &accesses : before)
      accesses.clear();
  }

  void runBlock(Block &body) {
    const size_t known = loaded.size();
    for (Operation &op : body)
      runOperation(&op);
    loaded.truncate(known);
  }

  void runOperation(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runLoop(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runBranch(branch);
    if (isGlobal(op))
      countAccess(op);
    if (op->getNumResults() == 1)
      set(op->getResult(0), evaluate(op));
  }

  void forget(ValueRange results) {
    for (Value result : results)
      values.erase(result);
  }

  template <typename Body> void whereActive(ArrayRef<bool> inside, Body body) {
    SmallVector<bool, 32> all = active;
    for (int64_t lane = 0; lane < lanes; ++lane)
      active[lane] = active[lane] && inside[lane];
    if (llvm::is_contained(active, true))
      body();
    active = std::move(all);
  }

  void runBranch(scf::IfOp branch) {
    forget(branch.getResults());
    if (!moving.contains(branch))
      return;
    Lanes condition = lanesOf(branch.getCondition());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (region->empty())
        continue;
      SmallVector<bool, 32> inside(lanes, true);
      for (int64_t lane = 0; lane < lanes && !condition.empty(); ++lane)
        inside[lane] = (condition[lane] != 0) == (region == &branch.getThenRegion());
      whereActive(inside, [&] { runBlock(region->front()); });
    }
  }

  void runLoop(scf::ForOp loop) {
    const Lanes lower = lanesOf(loop.getLowerBound()), upper = lanesOf(loop.getUpperBound()),
                step = lanesOf(loop.getStep());
    forget(loop.getResults());
    if (!moving.contains(loop))
      return;
    int64_t count = 1; // of a loop whose bounds are not known
    const bool isKnown = !lower.empty() && !upper.empty() && !step.empty();
    for (int64_t lane = 0; lane < lanes && isKnown; ++lane)
      if (active[lane] && upper[lane] > lower[lane])
        count = std::max(count, divideCeil(upper[lane] - lower[lane], step[lane]));
    const int64_t followed = count > mostIterations ? fewIterations : count;
    for (auto [argument, begin] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits()))
      set(argument, Lanes(lanesOf(begin)));
    const double outside = weight;
    weight *= static_cast<double>(count) / static_cast<double>(followed);
    for (int64_t i = 0; i < followed; ++i)
      runIteration(loop, followed == count ? i : (2 * i + 1) * count / (2 * followed), lower, upper,
                   step, followed == count);
    weight = outside;
  }

  void runIteration(scf::ForOp loop, int64_t number, const Lanes &lower, const Lanes &upper,
                    const Lanes &step, bool isNext) {
    SmallVector<bool, 32> inside(lanes, true);
    Lanes index;
    if (!lower.empty() && !upper.empty() && !step.empty())
      for (int64_t lane = 0; lane < lanes; ++lane) {
        index.push_back(lower[lane] + number * step[lane]);
        inside[lane] = index.back() < upper[lane];
      }
    set(loop.getInductionVar(), std::move(index));
    forgetAccesses();
    whereActive(inside, [&] { runBlock(*loop.getBody()); });
    forgetAccesses();
    std::vector<Lanes> carried;
    for (Value value : loop.getBody()->getTerminator()->getOperands())
      carried.push_back(isNext ? lanesOf(value) : Lanes());
    for (auto [argument, value] : llvm::zip_equal(loop.getRegionIterArgs(), carried))
      set(argument, std::move(value));
  }

  /// One access of all lanes that are active.
  void countAccess(Operation *op) {
    Value memref, address;
    const bool isWrite = isa<memref::StoreOp, vector::StoreOp>(op);
    int64_t elements = 1;
    TypeSwitch<Operation *>(op)
        .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
          memref = access.getMemRef();
          address = access.getIndices().front();
        })
        .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
          memref = access.getBase();
          address = access.getIndices().front();
          elements = access.getVectorType().getNumElements();
        });
    if (!isWrite && isKnown(memref, address))
      return;
    const int64_t bytes = bytesInMemory(cast<MemRefType>(memref.getType()).getElementType());
    Access access{lanesOf(address), bytes, elements};
    Access &last = before[isWrite][memref];
    // Compilers do not see that addresses are neighbours which a condition chooses.
    const bool isOne = !address.getDefiningOp<arith::SelectOp>() && isNext(last, access);
    if (isOne)
      access = {last.first, bytes, last.elements + elements};
    const int64_t moved = sectorsOf(access) - (isOne ? sectorsOf(last) : 0);
    (isWrite ? sectorsWritten : sectorsRead) += weight * static_cast<double>(moved);
    last = std::move(access);
  }

  /// Elements from an address on, in each lane.
  struct Access {
    Lanes first; ///< empty: not known
    int64_t bytes = 0, elements = 0;
  };

  int64_t sectorsOf(const Access &access) const {
    std::set<int64_t> sectors;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (!active[lane])
        continue;
      const int64_t begin =
          access.first.empty() ? lane * gpuSectorBytes : access.first[lane] * access.bytes;
      for (int64_t sector = begin / gpuSectorBytes;
           sector <= (begin + access.elements * access.bytes - 1) / gpuSectorBytes; ++sector)
        sectors.insert(sector);
    }
    return static_cast<int64_t>(sectors.size());
  }

  /// True if compilers make one access of 16 bytes at most of two that follow each other.
  bool isNext(const Access &last, const Access &access) const {
    const int64_t elements = last.elements + access.elements;
    if (last.first.empty() || access.first.empty() || elements * access.bytes > widestBytes)
      return false;
    for (int64_t lane = 0; lane < lanes; ++lane)
      if (active[lane] && (access.first[lane] != last.first[lane] + last.elements ||
                           last.first[lane] % powerOf2Ceil(elements) != 0))
        return false;
    return true;
  }

  /// True if the element is in a register: nothing writes to the buffer.
  bool isKnown(Value memref, Value address) {
    auto argument = dyn_cast<BlockArgument>(memref);
    if (!argument || isWritten(argument))
      return false;
    std::pair element(memref, address);
    if (llvm::is_contained(loaded, element))
      return true;
    loaded.push_back(element);
    return false;
  }

  template <typename Function> Lanes mapped(Operation *op, Function function) {
    SmallVector<const Lanes *, 3> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(&lanesOf(operand));
      if (operands.back()->empty())
        return {};
    }
    Lanes results(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      std::array<int64_t, 3> numbers{};
      for (auto [number, operand] : llvm::zip(numbers, operands))
        number = (*operand)[lane];
      results[lane] = function(numbers[0], numbers[1], numbers[2]);
    }
    return results;
  }

  static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
    auto wide = [](int64_t number) { return APInt(64, static_cast<uint64_t>(number)); };
    return arith::applyCmpPredicate(predicate, wide(x), wide(y));
  }

  static int64_t floorOf(int64_t x, int64_t y) { return y == 0 ? 0 : x / y - (x % y < 0); }

  int64_t at(AffineExpr expression, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return constant.getValue();
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      return dims[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
      return symbols[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expression);
    const int64_t x = at(binary.getLHS(), dims, symbols), y = at(binary.getRHS(), dims, symbols);
    switch (expression.getKind()) {
    case AffineExprKind::Add:
      return x + y;
    case AffineExprKind::Mul:
      return x * y;
    case AffineExprKind::FloorDiv:
      return floorOf(x, y);
    case AffineExprKind::CeilDiv:
      return -floorOf(-x, y);
    default:
      return x - floorOf(x, y) * y;
    }
  }

  Lanes evaluateApply(affine::AffineApplyOp op) {
    AffineMap map = op.getAffineMap();
    Lanes results(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<int64_t> operands;
      for (Value operand : op.getOperands()) {
        if (lanesOf(operand).empty())
          return {};
        operands.push_back(lanesOf(operand)[lane]);
      }
      results[lane] = at(map.getResult(0), ArrayRef(operands).take_front(map.getNumDims()),
                         ArrayRef(operands).drop_front(map.getNumDims()));
    }
    return results;
  }

  Lanes evaluate(Operation *op) {
    using I = int64_t;
    auto id = [&](gpu::Dimension dimension) { return static_cast<size_t>(dimension); };
    return TypeSwitch<Operation *, Lanes>(op)
        .Case([&](arith::ConstantOp constant) {
          auto number = dyn_cast<IntegerAttr>(constant.getValue());
          return number ? Lanes(lanes, number.getType().isInteger(1)
                                           ? I(number.getValue().getBoolValue())
                                           : number.getValue().getSExtValue())
                        : Lanes();
        })
        .Case([&](gpu::ThreadIdOp own) { return thread[id(own.getDimension())]; })
        .Case([&](gpu::BlockIdOp own) { return Lanes(lanes, block[id(own.getDimension())]); })
        .Case([&](arith::AddIOp) { return mapped(op, [](I x, I y, I) { return x + y; }); })
        .Case([&](arith::SubIOp) { return mapped(op, [](I x, I y, I) { return x - y; }); })
        .Case([&](arith::MulIOp) { return mapped(op, [](I x, I y, I) { return x * y; }); })
        .Case<arith::DivUIOp, arith::DivSIOp>(
            [&](auto) { return mapped(op, [](I x, I y, I) { return y == 0 ? 0 : x / y; }); })
        .Case<arith::RemUIOp, arith::RemSIOp>(
            [&](auto) { return mapped(op, [](I x, I y, I) { return y == 0 ? 0 : x % y; }); })
        .Case([&](arith::FloorDivSIOp) {
          return mapped(op, [](I x, I y, I) { return floorOf(x, y); });
        })
        .Case([&](arith::CeilDivSIOp) {
          return mapped(op, [](I x, I y, I) { return -floorOf(-x, y); });
        })
        .Case([&](arith::AndIOp) { return mapped(op, [](I x, I y, I) { return x & y; }); })
        .Case([&](arith::OrIOp) { return mapped(op, [](I x, I y, I) { return x | y; }); })
        .Case([&](arith::XOrIOp) { return mapped(op, [](I x, I y, I) { return x ^ y; }); })
        .Case(
            [&](arith::MinSIOp) { return mapped(op, [](I x, I y, I) { return std::min(x, y); }); })
        .Case(
            [&](arith::MaxSIOp) { return mapped(op, [](I x, I y, I) { return std::max(x, y); }); })
        .Case([&](arith::CmpIOp compared) {
          return mapped(op, [&](I x, I y, I) { return compare(compared.getPredicate(), x, y); });
        })
        .Case([&](arith::SelectOp) { return mapped(op, [](I c, I x, I y) { return c ? x : y; }); })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(
            [&](auto) { return mapped(op, [](I x, I, I) { return x; }); })
        .Case([&](affine::AffineApplyOp apply) { return evaluateApply(apply); })
        .Default(Lanes());
  }

  gpu::GPUFuncOp kernel;
  const int64_t lanes;
  llvm::DenseSet<Operation *> moving; ///< accesses of memory, and what is around them
  llvm::DenseMap<Value, Lanes> values;
  SmallVector<std::pair<Value, Value>> loaded;         ///< buffers and addresses
  std::array<llvm::DenseMap<Value, Access>, 2> before; ///< last one of a buffer; [1]: that writes
  std::array<int64_t, 3> block{};
  std::array<Lanes, 3> thread;
  SmallVector<bool, 32> active;
  double weight = 1;
};

} // namespace

Traffic trafficOf(gpu::GPUFuncOp kernel, const std::array<int64_t, 3> &blocks, int64_t subgroup) {
  const int64_t lanes = std::min<int64_t>(subgroup, mostLanes),
                all = blocks[0] * blocks[1] * blocks[2], followed = std::min(all, mostBlocks);
  ArrayRef<int32_t> threads = *kernel.getKnownBlockSize();
  const int64_t threadsOfBlock = int64_t(threads[0]) * threads[1] * threads[2];
  Subgroup group(kernel, lanes);
  for (int64_t i = 0; i < followed; ++i) {
    const int64_t number = (2 * i + 1) * all / (2 * followed);
    const std::array<int64_t, 3> place{number % blocks[0], number / blocks[0] % blocks[1],
                                       number / blocks[0] / blocks[1]};
    for (int64_t first = 0; first < threadsOfBlock; first += lanes)
      group.run(place, threads, first, static_cast<double>(all) / static_cast<double>(followed));
  }
  return {std::llround(group.sectorsRead) * gpuSectorBytes,
          std::llround(group.sectorsWritten) * gpuSectorBytes};
}

} // namespace kgen::gpu_kernels
