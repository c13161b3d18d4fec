// Software pipelining of loops over vectors: a stage of an iteration is executed together with
// earlier stages of the next iterations.
#include "analysis/TileAliasAnalysis.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/Transforms/Transforms.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SOFTWAREPIPELININGPASS
#include "transforms/lower/Passes.h.inc"

namespace {

/// The minimum trip count: one iteration per stage, and one more.
constexpr int64_t minTripCount = 4;

/// A read or a write of a vector.
struct Access {
  Value memory;
  OperandRange indices;
  int64_t lanes;
  bool isWrite;
};

std::optional<Access> accessOf(Operation &op) {
  auto makeAccess = [](Value memory, OperandRange indices, Type type, bool isWrite) {
    auto vector = dyn_cast<VectorType>(type);
    return Access{memory, indices, vector ? vector.getNumElements() : 1, isWrite};
  };
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return makeAccess(read.getBase(), read.getIndices(), read.getType(), false);
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return makeAccess(write.getBase(), write.getIndices(), write.getVectorType(), true);
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return makeAccess(load.getBase(), load.getIndices(), load.getType(), false);
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return makeAccess(store.getBase(), store.getIndices(), store.getVectorType(), true);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return makeAccess(load.getMemRef(), load.getIndices(), load.getType(), false);
  return std::nullopt;
}

/// True if `op`, including its regions, neither reads nor writes memory. Intrinsics without
/// pointers are instructions on registers.
bool isArithmetic(Operation &op) {
  if (isa<LLVM::CallIntrinsicOp>(op))
    return llvm::none_of(op.getOperandTypes(), llvm::IsaPred<LLVM::LLVMPointerType>);
  if (op.getNumRegions() == 0)
    return isMemoryEffectFree(&op);
  return op.hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         llvm::all_of(op.getRegions(),
                      [](Region &region) { return llvm::all_of(region.getOps(), isArithmetic); });
}

/// Approximate latency of an operation in cycles.
int64_t latencyOf(Operation &op, const Cpu &cpu) {
  if (accessOf(op))
    return cpu.loadLatency;
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return cpu.divisionLatency;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return cpu.conversionLatency;
  if (isa<LLVM::CallIntrinsicOp, vector::ShuffleOp, scf::IfOp>(op))
    return cpu.shuffleLatency;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, math::RoundEvenOp,
          math::TruncOp>(op))
    return cpu.arithmeticLatency;
  if (isa<arith::BitcastOp, vector::ShapeCastOp, vector::BitCastOp, vector::InsertStridedSliceOp>(
          op))
    return 0;
  return llvm::any_of(op.getResultTypes(), llvm::IsaPred<VectorType>);
}

class Pipelining {
public:
  Pipelining(scf::ForOp loop, TileAliasAnalysis &aliasing) : loop(loop), aliasing(aliasing) {}

  /// Returns why the loop cannot be pipelined; empty if it can.
  StringRef obstacle(TargetAttr target) {
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    if (!trips || trips->getSExtValue() < minTripCount)
      return "fewer iterations than stages, or an unknown number";
    if (loop.getNumResults() != 0)
      return "loop-carried values";
    if (instructions(target) > cpuOf(loop).heuristics.maxPipelinedInstructions)
      return "too many instructions for the registers";
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<memref::PrefetchOp>(op) && !accessOf(op) && !isArithmetic(op))
        return "an operation with other effects than accesses of vectors";
    if (!hasOnlyRegisterValues())
      return "values of more than a vector register";
    return hasNoCarriedMemory() ? "" : "an iteration may read what another one writes";
  }

  bool isInnermost() {
    return !loop.getBody()
                ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
                .wasInterrupted();
  }

  /// Moves constants out of the loop, so that they are not live across stages.
  void hoistConstants() {
    for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      if (op.hasTrait<OpTrait::ConstantLike>())
        op.moveBefore(loop);
  }

  /// Computes the cycle in which each operation can start, with unlimited execution units. Returns
  /// the length of the critical path in cycles.
  unsigned computeStarts() {
    const Cpu &cpu = cpuOf(loop);
    auto latency = [&](Operation &op) { return static_cast<unsigned>(latencyOf(op, cpu)); };
    unsigned end = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      unsigned start = 0;
      auto waitFor = [&](Value operand) {
        Operation *source = loop.getBody()->findAncestorOpInBlock(*operand.getDefiningOp());
        start = std::max(start, starts.lookup(source) + latency(*source));
      };
      auto isInside = [&](Value operand) {
        Operation *source = operand.getDefiningOp();
        return source && source->getBlock() == loop.getBody();
      };
      for (Value operand : op.getOperands())
        if (isInside(operand))
          waitFor(operand);
      SetVector<Value> above;
      getUsedValuesDefinedAbove(op.getRegions(), above);
      for (Value operand : above)
        if (isInside(operand))
          waitFor(operand);
      starts[&op] = start;
      end = std::max(end, start + latency(op));
    }
    delayMasks();
    return end;
  }

  /// Chooses three stages if the values that are live across stages leave registers for constants;
  /// else two. Loops with several branches have two, which keeps those on one condition together.
  void chooseStages(unsigned length, TargetAttr target) {
    const Heuristics &limits = cpuOf(loop).heuristics;
    chooseStageStarts(length, 3);
    int64_t bits = 0;
    for (unsigned start : stageStarts)
      bits += bitsLiveAt(start);
    bool hasBranches = llvm::range_size(loop.getBody()->getOps<scf::IfOp>()) > 1;
    if (length < limits.minThreeStageCycles || !target || hasBranches ||
        bits / target.getVectorBits() >
            static_cast<int64_t>(target.getVectorRegisters() * limits.pipelinedRegisterShare))
      chooseStageStarts(length, 2);
  }

  /// True if writes that may overlap are in the same stage, in their original order.
  bool keepsOrderOfWrites() {
    SmallVector<std::pair<unsigned, Value>> earlier; // start and memory
    for (Operation &op : loop.getBody()->without_terminator()) {
      std::optional<Access> access = accessOf(op);
      if (!access || !access->isWrite)
        continue;
      unsigned start = starts.lookup(&op);
      for (auto [before, memory] : earlier)
        if ((before > start || stageAt(before) != stageAt(start)) &&
            aliasing.mayOverlap(memory, access->memory))
          return false;
      earlier.emplace_back(start, access->memory);
    }
    return true;
  }

  unsigned stages() const { return stageStarts.size() + 1; }

  void run(IRRewriter &rewriter) {
    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &order) {
      for (Operation &op : loop.getBody()->without_terminator())
        order.emplace_back(&op, stageAt(starts.lookup(&op)));
      auto startInStage = [&](const std::pair<Operation *, unsigned> &entry) {
        unsigned begin = entry.second == 0 ? 0 : stageStarts[entry.second - 1];
        return starts.lookup(entry.first) - begin;
      };
      llvm::stable_sort(order, [&](const auto &one, const auto &other) {
        return startInStage(one) < startInStage(other);
      });
    };
    rewriter.setInsertionPoint(loop);
    (void)succeeded(scf::pipelineForLoop(rewriter, loop, options));
  }

private:
  /// A lower bound of the instructions of an iteration: operations times registers of a vector.
  int64_t instructions(TargetAttr target) {
    int64_t operations = 0, registers = 1;
    for (Operation &op : loop.getBody()->without_terminator()) {
      operations += !op.hasTrait<OpTrait::ConstantLike>();
      for (Type type : op.getResultTypes())
        if (auto vector = dyn_cast<VectorType>(type))
          if (target)
            registers = std::max(registers, bitsOf(vector) / target.getVectorBits());
    }
    return operations * registers;
  }

  static int64_t bitsOf(VectorType vector) {
    Type element = vector.getElementType();
    int64_t width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                      : static_cast<int64_t>(element.getIntOrFloatBitWidth());
    return vector.getNumElements() * width;
  }

  /// Chooses the cycle in which each stage but the first starts: within 5% of the length around
  /// equal shares, where the fewest bits are live.
  void chooseStageStarts(unsigned length, unsigned stages) {
    stageStarts.clear();
    for (unsigned stage = 1; stage < stages; ++stage) {
      unsigned middle = length * stage / stages, best = middle;
      for (unsigned start = middle - length / 20; start <= middle + length / 20; ++start)
        if (bitsLiveAt(start) < bitsLiveAt(best))
          best = start;
      stageStarts.push_back(best);
    }
  }

  unsigned stageAt(unsigned time) const {
    return llvm::count_if(stageStarts, [time](unsigned start) { return start <= time; });
  }

  /// Bits of the vectors that are computed before cycle `at` and used from then on.
  int64_t bitsLiveAt(unsigned at) {
    int64_t bits = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      bool isUsedLater = llvm::any_of(op.getUsers(), [&](Operation *user) {
        return starts.lookup(loop.getBody()->findAncestorOpInBlock(*user)) >= at;
      });
      if (starts.lookup(&op) < at && isUsedLater)
        if (auto vector = dyn_cast<VectorType>(op.getResult(0).getType()))
          bits += bitsOf(vector);
    }
    return bits;
  }

  /// True if all values fit registers: no vectors of several dimensions.
  bool hasOnlyRegisterValues() {
    return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
      return llvm::all_of(op.getResultTypes(), [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return !vector || vector.getRank() == 1;
      });
    });
  }

  /// True if no iteration reads what another one writes: pipelining moves reads ahead of writes of
  /// earlier iterations.
  bool hasNoCarriedMemory() {
    SmallVector<Access> accesses;
    for (Operation &op : loop.getBody()->without_terminator())
      if (std::optional<Access> access = accessOf(op))
        accesses.push_back(*access);
    for (const Access &write : accesses)
      for (const Access &read : accesses)
        if (write.isWrite && !read.isWrite && mayDepend(write, read))
          return false;
    return true;
  }

  /// True if one iteration may read what another one writes.
  bool mayDepend(const Access &write, const Access &read) {
    if (!loop.isDefinedOutsideOfLoop(write.memory) || !loop.isDefinedOutsideOfLoop(read.memory))
      return true;
    if (!aliasing.mayOverlap(write.memory, read.memory))
      return false;
    bool isSame = aliasing.isSame(write.memory, read.memory) && write.indices == read.indices &&
                  write.lanes == read.lanes;
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    bool advances = !write.indices.empty() && write.indices.back() == loop.getInductionVar() &&
                    step && *step >= write.lanes;
    return !isSame || !advances;
  }

  /// Delays masks to their first use, so that they are not live across stages.
  void delayMasks() {
    for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
      if (op.getNumResults() != 1 || !getElementTypeOrSelf(op.getResult(0).getType()).isInteger(1))
        continue;
      std::optional<unsigned> first;
      for (Operation *user : op.getUsers()) {
        unsigned start = starts.lookup(loop.getBody()->findAncestorOpInBlock(*user));
        first = std::min(first.value_or(start), start);
      }
      starts[&op] = first.value_or(starts.lookup(&op));
    }
  }

  scf::ForOp loop;
  TileAliasAnalysis &aliasing;
  llvm::DenseMap<Operation *, unsigned> starts; ///< in cycles
  SmallVector<unsigned> stageStarts;            ///< of all stages but the first, in cycles
};

struct SoftwarePipeliningPass : impl::SoftwarePipeliningPassBase<SoftwarePipeliningPass> {
  void runOnOperation() override {
    TileAliasAnalysis aliasing(getOperation());
    SmallVector<scf::ForOp> loops;
    TargetAttr target = targetOf(getOperation());
    const Heuristics &limits = cpuOf(getOperation()).heuristics;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    for (scf::ForOp loop : loops) {
      Pipelining pipelining(loop, aliasing);
      if (StringRef why = pipelining.obstacle(target); !why.empty()) {
        if (pipelining.isInnermost() && pipelining.computeStarts() >= limits.minPipelinedCycles)
          refuse(loop, why, log);
        continue;
      }
      pipelining.hoistConstants();
      unsigned cycles = pipelining.computeStarts();
      if (cycles < limits.minPipelinedCycles)
        continue;
      pipelining.chooseStages(cycles, target);
      if (!pipelining.keepsOrderOfWrites()) {
        refuse(loop, "writes that may overlap would change their order", log);
        continue;
      }
      log.add("pipelined", loop.getLoc(),
              log.details()
                  .set("stages", static_cast<int64_t>(pipelining.stages()))
                  .set("cycles", static_cast<int64_t>(cycles)));
      pipelining.run(rewriter);
      ++numPipelined;
    }
  }

private:
  void refuse(scf::ForOp loop, StringRef why, DecisionLog &log) {
    log.add("not-pipelined", loop.getLoc(), log.details().set("why", why));
    ++numRefused;
  }
};

} // namespace
} // namespace kgen
