// Software pipelining of loops over vectors: a stage of a step beside earlier stages of the next
// ones.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"
#include "transforms/analysis/TileAliasAnalysis.h"

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
#include "transforms/Passes.h.inc"

namespace {

constexpr unsigned shortest = 40;         ///< cycles of a step that are worth it
constexpr unsigned shortestOfThree = 50;  ///< and three stages
constexpr int64_t mostInstructions = 160; ///< longer steps need their registers themselves
constexpr int64_t fewestSteps = 4;        ///< as many as stages, or more

/// A read or a write of a vector.
struct Access {
  Value memory;
  OperandRange indices;
  int64_t lanes;
  bool isWrite;
};

std::optional<Access> accessOf(Operation &op) {
  auto of = [](Value memory, OperandRange indices, Type type, bool isWrite) {
    auto vector = dyn_cast<VectorType>(type);
    return Access{memory, indices, vector ? vector.getNumElements() : 1, isWrite};
  };
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return of(read.getBase(), read.getIndices(), read.getType(), false);
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return of(write.getBase(), write.getIndices(), write.getVectorType(), true);
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return of(load.getBase(), load.getIndices(), load.getType(), false);
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return of(store.getBase(), store.getIndices(), store.getVectorType(), true);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return of(load.getMemRef(), load.getIndices(), load.getType(), false);
  return std::nullopt;
}

/// Reads no memory and writes none, with all that is in it. Intrinsics without pointers are
/// instructions on registers.
bool isArithmetic(Operation &op) {
  if (isa<LLVM::CallIntrinsicOp>(op))
    return llvm::none_of(op.getOperandTypes(), llvm::IsaPred<LLVM::LLVMPointerType>);
  if (op.getNumRegions() == 0)
    return isMemoryEffectFree(&op);
  return op.hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         llvm::all_of(op.getRegions(),
                      [](Region &region) { return llvm::all_of(region.getOps(), isArithmetic); });
}

/// What an instruction takes on current CPUs, roughly.
unsigned latencyOf(Operation &op) {
  if (accessOf(op))
    return 8;
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return 12;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return 7;
  if (isa<LLVM::CallIntrinsicOp, vector::ShuffleOp, scf::IfOp>(op))
    return 5;
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp, math::RoundEvenOp,
          math::TruncOp>(op))
    return 4;
  if (isa<arith::BitcastOp, vector::ShapeCastOp, vector::BitCastOp, vector::InsertStridedSliceOp>(
          op))
    return 0;
  return llvm::any_of(op.getResultTypes(), llvm::IsaPred<VectorType>);
}

class Pipelining {
public:
  Pipelining(scf::ForOp loop, TileAliasAnalysis &aliasing) : loop(loop), aliasing(aliasing) {}

  bool isPossible(TargetAttr target) {
    std::optional<llvm::APInt> steps = loop.getStaticTripCount();
    if (!steps || steps->getSExtValue() < fewestSteps || loop.getNumResults() != 0 ||
        instructions(target) > mostInstructions)
      return false;
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isa<memref::PrefetchOp>(op) && !accessOf(op) && !isArithmetic(op))
        return false;
    return holdsRegisters() && hasNoCarriedMemory();
  }

  /// Constants stay outside, so that they are not carried from one stage to another.
  void hoistConstants() {
    for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator()))
      if (op.hasTrait<OpTrait::ConstantLike>())
        op.moveBefore(loop);
  }

  /// When each operation would start if there were as many units as it takes.
  unsigned measure() {
    unsigned end = 0;
    for (Operation &op : loop.getBody()->without_terminator()) {
      unsigned start = 0;
      auto see = [&](Value operand) {
        Operation *source = loop.getBody()->findAncestorOpInBlock(*operand.getDefiningOp());
        start = std::max(start, starts.lookup(source) + latencyOf(*source));
      };
      auto isInside = [&](Value operand) {
        Operation *source = operand.getDefiningOp();
        return source && source->getBlock() == loop.getBody();
      };
      for (Value operand : op.getOperands())
        if (isInside(operand))
          see(operand);
      SetVector<Value> above;
      getUsedValuesDefinedAbove(op.getRegions(), above);
      for (Value operand : above)
        if (isInside(operand))
          see(operand);
      starts[&op] = start;
      end = std::max(end, start + latencyOf(op));
    }
    delayConditions();
    return end;
  }

  /// Three stages if registers hold what is carried from one to another, and constants; or else
  /// two. Branches on the same condition stay together as far as that goes.
  void chooseStages(unsigned length, TargetAttr target) {
    constexpr int64_t most = 9, of = 16; // of the registers
    chooseCuts(length, 3);
    int64_t bits = 0;
    for (unsigned cut : cuts)
      bits += carriedAcross(cut);
    bool branches = llvm::range_size(loop.getBody()->getOps<scf::IfOp>()) > 1;
    if (length < shortestOfThree || !target || branches ||
        bits / target.getVectorBits() > target.getVectorRegisters() * most / of)
      chooseCuts(length, 2);
  }

  /// Whether writes that may meet are in the same stage, and there in their order.
  bool keepsWrites() {
    SmallVector<std::pair<unsigned, Value>> earlier; // when, and where to
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

  void run(IRRewriter &rewriter) {
    scf::PipeliningOption options;
    options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &order) {
      for (Operation &op : loop.getBody()->without_terminator())
        order.emplace_back(&op, stageAt(starts.lookup(&op)));
      auto time = [&](const std::pair<Operation *, unsigned> &entry) {
        unsigned begin = entry.second == 0 ? 0 : cuts[entry.second - 1];
        return starts.lookup(entry.first) - begin;
      };
      llvm::stable_sort(
          order, [&](const auto &one, const auto &other) { return time(one) < time(other); });
    };
    rewriter.setInsertionPoint(loop);
    (void)succeeded(scf::pipelineForLoop(rewriter, loop, options));
  }

private:
  /// What the operations of a step are split into, at least: two each for two vectors at a time.
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

  /// When each stage but the first starts: near equal parts, where the fewest bits are carried.
  void chooseCuts(unsigned length, unsigned stages) {
    cuts.clear();
    for (unsigned stage = 1; stage < stages; ++stage) {
      unsigned middle = length * stage / stages, best = middle;
      for (unsigned cut = middle - length / 20; cut <= middle + length / 20; ++cut)
        if (carriedAcross(cut) < carriedAcross(best))
          best = cut;
      cuts.push_back(best);
    }
  }

  unsigned stageAt(unsigned time) const {
    return llvm::count_if(cuts, [time](unsigned cut) { return cut <= time; });
  }

  /// Bits of the vectors that are made before a time and used from it on.
  int64_t carriedAcross(unsigned at) {
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

  /// Values that are carried from one stage to another are in registers.
  bool holdsRegisters() {
    return llvm::all_of(loop.getBody()->without_terminator(), [](Operation &op) {
      return llvm::all_of(op.getResultTypes(), [](Type type) {
        auto vector = dyn_cast<VectorType>(type);
        return !vector || vector.getRank() == 1;
      });
    });
  }

  /// Reads of the next step come before writes of this one.
  bool hasNoCarriedMemory() {
    SmallVector<Access> accesses;
    for (Operation &op : loop.getBody()->without_terminator())
      if (std::optional<Access> access = accessOf(op))
        accesses.push_back(*access);
    for (const Access &write : accesses)
      for (const Access &read : accesses)
        if (write.isWrite && !read.isWrite && mayMeet(write, read))
          return false;
    return true;
  }

  /// Whether what is written in one step may be read in another.
  bool mayMeet(const Access &write, const Access &read) {
    if (!loop.isDefinedOutsideOfLoop(write.memory) || !loop.isDefinedOutsideOfLoop(read.memory))
      return true;
    if (!aliasing.mayOverlap(write.memory, read.memory))
      return false;
    bool isSame = aliasing.isSame(write.memory, read.memory) && write.indices == read.indices &&
                  write.lanes == read.lanes;
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    bool moves = !write.indices.empty() && write.indices.back() == loop.getInductionVar() && step &&
                 *step >= write.lanes;
    return !isSame || !moves;
  }

  /// Masks are not carried: they are made where they are used.
  void delayConditions() {
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
  llvm::DenseMap<Operation *, unsigned> starts;
  SmallVector<unsigned> cuts;
};

struct SoftwarePipeliningPass : impl::SoftwarePipeliningPassBase<SoftwarePipeliningPass> {
  void runOnOperation() override {
    TileAliasAnalysis aliasing(getOperation());
    SmallVector<scf::ForOp> loops;
    TargetAttr target = targetOf(getOperation());
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      Pipelining pipelining(loop, aliasing);
      if (!pipelining.isPossible(target))
        continue;
      pipelining.hoistConstants();
      unsigned length = pipelining.measure();
      if (length < shortest)
        continue;
      pipelining.chooseStages(length, target);
      if (pipelining.keepsWrites())
        pipelining.run(rewriter);
    }
  }
};

} // namespace
} // namespace kgen
