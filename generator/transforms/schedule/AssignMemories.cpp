// Gives the results of operations with `kgen.memory` a tensor of their own in that memory.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Schedule.h"
#include "transforms/schedule/LocalPacks.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ASSIGNMEMORIESPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

constexpr int64_t blockMemory = 1, coreMemory = 2; ///< L2 and L1

/// Each operation has an allocation of its own. Two `tensor.empty` of one shape are one value after
/// CSE, and bufferization then copies for one of the two users.
Value allocate(OpBuilder &b, Location loc, Type type, Attribute space) {
  auto alloc =
      bufferization::AllocTensorOp::create(b, loc, cast<RankedTensorType>(type), ValueRange());
  alloc.setMemorySpaceAttr(space);
  return alloc;
}

/// Returns a value that is true if any amount of padding is not zero at run time; null if all are
/// zero.
Value isPartial(OpBuilder &b, tensor::PadOp pad) {
  Location loc = pad.getLoc();
  Value result;
  for (OpFoldResult amount :
       llvm::concat<OpFoldResult>(pad.getMixedLowPad(), pad.getMixedHighPad())) {
    if (isConstantIntValue(amount, 0))
      continue;
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value padded = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                         getValueOrCreateConstantIndexOp(b, loc, amount), zero);
    result = result ? arith::OrIOp::create(b, loc, result, padded).getResult() : padded;
  }
  return result;
}

/// The memory of what is computed at `op`: that of the innermost grid around it; 0 outside of all.
int64_t memoryAround(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
       loop = loop->getParentOfType<scf::ForallOp>()) {
    ArrayAttr mapping = loop.getMappingAttr();
    if (mapping && !mapping.empty())
      return isa<gpu::GPUThreadMappingAttr>(mapping[0]) ? coreMemory : blockMemory;
  }
  return 0;
}

/// An input of an elementwise operation that nobody reads later, so that the result may overwrite
/// it.
Value overwrittenInput(linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1 ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return {};
  for (OpOperand *in : op.getDpsInputOperands()) {
    Operation *def = in->get().getDefiningOp();
    bool isOfBlock = isa_and_nonnull<linalg::LinalgOp, scf::ForOp>(def) &&
                     def->getBlock() == op->getBlock() &&
                     op.getMatchingIndexingMap(in).isIdentity() &&
                     in->get().getType() == op.getDpsInits()[0].getType();
    auto isEarlier = [&](Operation *user) {
      return user == op || (user->getBlock() == op->getBlock() && user->isBeforeInBlock(op));
    };
    if (isOfBlock && llvm::all_of(in->get().getUsers(), isEarlier))
      return in->get();
  }
  return {};
}

struct AssignMemoriesPass : impl::AssignMemoriesPassBase<AssignMemoriesPass> {
  using AssignMemoriesPassBase::AssignMemoriesPassBase;

  /// A copy. What is around it is filled only where the copy is partial.
  void assignPad(OpBuilder &b, tensor::PadOp pad, Attribute space) {
    Location loc = pad.getLoc();
    Value dest = allocate(b, loc, pad.getType(), space);
    Value partial = isPartial(b, pad);
    if (!partial) {
      pad.replaceAllUsesWith(linalg::CopyOp::create(b, loc, pad.getSource(), dest).getResult(0));
      return pad.erase();
    }
    Value padding = pad.getConstantPaddingValue();
    auto filled = scf::IfOp::create(
        b, loc, partial,
        [&](OpBuilder &then, Location at) {
          scf::YieldOp::create(then, at,
                               linalg::FillOp::create(then, at, padding, dest).getResult(0));
        },
        [&](OpBuilder &otherwise, Location at) { scf::YieldOp::create(otherwise, at, dest); });
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, pad.getSource());
    SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(b, loc, filled.getResult(0), pad.getMixedLowPad(),
                                                 sizes, ones);
    if (slice.getType() != pad.getSource().getType())
      slice = tensor::CastOp::create(b, loc, pad.getSource().getType(), slice);
    Value copy = linalg::CopyOp::create(b, loc, pad.getSource(), slice).getResult(0);
    Value whole = tensor::InsertSliceOp::create(b, loc, copy, filled.getResult(0),
                                                pad.getMixedLowPad(), sizes, ones);
    pad.replaceAllUsesWith(whole);
    pad.erase();
  }

  LogicalResult assign(Operation *op) {
    Attribute space = op->getAttr(memoryAttrName);
    OpBuilder b(op);
    op->removeAttr(memoryAttrName);
    ++numAssigned;
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      if (!pad.getConstantPaddingValue())
        return op->emitError("a pad with one constant is needed to be a copy to a memory");
      assignPad(b, pad, space);
      return success();
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (Value input = generic ? overwrittenInput(generic) : Value()) {
      generic.getDpsInitsMutable()[0].set(input);
      ++numInPlace;
      return success();
    }
    if (auto dest = dyn_cast<DestinationStyleOpInterface>(op)) {
      for (OpOperand &init : dest.getDpsInitsMutable())
        init.set(allocate(b, op->getLoc(), init.get().getType(), space));
      return success();
    }
    if (auto loop = dyn_cast<scf::ForallOp>(op)) {
      for (OpOperand &init : loop.getOutputsMutable())
        init.set(allocate(b, op->getLoc(), init.get().getType(), space));
      return success();
    }
    return op->emitError() << "'" << memoryAttrName
                           << "' is for pads, scf.forall and operations with a destination";
  }

  /// Assigns the memory of the grid to operations that are computed in it and have none yet.
  void assignRemaining(func::FuncOp func) {
    func.walk([&](linalg::GenericOp op) {
      if (memoryAround(op) == 0)
        return;
      if (!op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
        return;
      if (Value input = overwrittenInput(op)) {
        op.getDpsInitsMutable()[0].set(input);
        ++numInPlace;
      }
    });
    SmallVector<tensor::EmptyOp> empties;
    func.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
    for (tensor::EmptyOp empty : empties)
      for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
        auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
        int64_t memory = user ? memoryAround(user) : 0;
        if (memory == 0)
          continue;
        OpBuilder b(user);
        use.set(allocate(b, empty.getLoc(), empty.getType(), b.getI64IntegerAttr(memory)));
        ++numAssigned;
      }
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (op->hasAttr(memoryAttrName))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(assign(op)))
        return signalPassFailure();
    if (gridsHaveMemories(getOperation()))
      assignRemaining(getOperation());
    FailureOr<int64_t> packs = lowerLocalPacks(getOperation());
    if (failed(packs))
      return signalPassFailure();
    numPacks += *packs;
    if (unify)
      unifyMemories();
  }

  /// A CPU has one memory: what is in a local one is placed in the workspace.
  void unifyMemories() {
    getOperation()->walk([&](bufferization::AllocTensorOp alloc) {
      if (!alloc.getMemorySpaceAttr())
        return;
      alloc.removeMemorySpaceAttr();
      ++numUnified;
    });
  }

  /// Only loops of schedules name blocks and cores.
  static bool gridsHaveMemories(func::FuncOp func) {
    return func
        .walk([](scf::ForallOp loop) {
          ArrayAttr mapping = loop.getMappingAttr();
          bool isMapped = mapping && llvm::any_of(mapping, [](Attribute attr) {
                            return isa<gpu::GPUThreadMappingAttr, gpu::GPUBlockMappingAttr>(attr);
                          });
          return isMapped ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }
};

} // namespace
} // namespace kgen
