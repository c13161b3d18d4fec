// Masked accesses of vectors whose number of elements is no power of two: LLVM would split each
// into several of 2^n bytes.
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MASKTAILSPASS
#include "transforms/lower/Passes.h.inc"

namespace {

/// The smallest register type that holds the elements of a contiguous access; nothing if the access
/// is one instruction anyway, or takes more than a register.
template <typename Op> std::optional<VectorType> registerOf(Op op, int64_t registerBits) {
  auto memory = dyn_cast<MemRefType>(op.getBase().getType());
  VectorType type = op.getVectorType();
  if (!memory || !memory.isLastDimUnitStride() || type.getRank() != 1 || type.isScalable() ||
      op.getMask() || op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t count = type.getNumElements(), bits = type.getElementTypeBitWidth();
  auto lanes = static_cast<int64_t>(llvm::PowerOf2Ceil(count));
  if (lanes == count || bits < 8 || lanes * bits > registerBits)
    return std::nullopt;
  return VectorType::get({lanes}, type.getElementType());
}

Value firstLanes(OpBuilder &b, Location loc, int64_t count, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  SmallVector<bool> mask(lanes, false);
  std::fill_n(mask.begin(), count, true);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

void maskRead(IRRewriter &b, vector::TransferReadOp op, VectorType registerType) {
  b.setInsertionPoint(op);
  int64_t count = op.getVectorType().getNumElements();
  Value rest = ub::PoisonOp::create(b, op.getLoc(), registerType);
  Value mask = firstLanes(b, op.getLoc(), count, registerType.getNumElements());
  Value read = vector::MaskedLoadOp::create(b, op.getLoc(), registerType, op.getBase(),
                                            op.getIndices(), mask, rest);
  b.replaceOpWithNewOp<vector::ShuffleOp>(op, read, read,
                                          llvm::to_vector(llvm::seq<int64_t>(0, count)));
}

void maskWrite(IRRewriter &b, vector::TransferWriteOp op, VectorType registerType) {
  b.setInsertionPoint(op);
  int64_t count = op.getVectorType().getNumElements();
  SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  lanes.resize(registerType.getNumElements(), vector::ShuffleOp::kPoisonIndex);
  Value vector = vector::ShuffleOp::create(b, op.getLoc(), op.getVector(), op.getVector(), lanes);
  Value mask = firstLanes(b, op.getLoc(), count, registerType.getNumElements());
  b.replaceOpWithNewOp<vector::MaskedStoreOp>(op, op.getBase(), op.getIndices(), mask, vector);
}

Value rootOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

/// The memory that a function reads and writes, each with the blocks that do.
struct Uses {
  using Blocks = llvm::SmallDenseSet<std::pair<Value, Block *>>;
  Blocks read, written;

  explicit Uses(func::FuncOp function) {
    function.walk([&](Operation *op) { add(op); });
  }

private:
  void add(Operation *op) {
    if (isa<ViewLikeOpInterface, memref::PrefetchOp>(op) ||
        op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    for (Value operand : op->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      if (!effects || effects.getEffectOnValue<MemoryEffects::Read>(operand))
        read.insert({rootOf(operand), op->getBlock()});
      if (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand))
        written.insert({rootOf(operand), op->getBlock()});
    }
  }
};

struct MaskTailsPass : impl::MaskTailsPassBase<MaskTailsPass> {
  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    if (!target || !target.cpu().hasMaskedMemory)
      return;
    Uses uses(getOperation());
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
        auto type = registerOf(read, target.getVectorBits());
        if (!type)
          return;
        if (uses.written.contains({rootOf(read.getBase()), op->getBlock()})) {
          ++numRefused;
          traceRefusal(op->getLoc(), "the block writes the memory, too");
          return;
        }
        maskRead(rewriter, read, *type);
        ++numMasked;
      } else if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
        auto type = registerOf(write, target.getVectorBits());
        if (!type)
          return;
        if (uses.read.contains({rootOf(write.getBase()), op->getBlock()})) {
          ++numRefused;
          traceRefusal(op->getLoc(), "the block reads the memory, too");
          return;
        }
        maskWrite(rewriter, write, *type);
        ++numMasked;
      }
    });
  }
};

} // namespace
} // namespace kgen
