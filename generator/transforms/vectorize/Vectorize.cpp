// Turns linalg.generic on tensors into loops over vectors: each by the strategy that costs least.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/analysis/AccessPattern.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/HoistBroadcastInvariants.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Affine/Utils.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "transforms/Passes.h.inc"

namespace {

/// Expands affine.apply on indices in bodies to additions, which can be vectorized.
void expandIndices(IRRewriter &rewriter, func::FuncOp function) {
  SmallVector<affine::AffineApplyOp> sums;
  function.walk([&](affine::AffineApplyOp op) {
    if (isa<linalg::GenericOp>(op->getParentOp()))
      sums.push_back(op);
  });
  for (affine::AffineApplyOp op : sums) {
    rewriter.setInsertionPoint(op);
    auto values = affine::expandAffineMap(rewriter, op.getLoc(), op.getAffineMap(),
                                          llvm::to_vector<8>(op.getMapOperands()));
    if (values)
      rewriter.replaceOp(op, *values);
  }
}

/// Describes the loops of an operation for the record.
Details describe(linalg::GenericOp op, const VectorizationPlan &plan, Details details) {
  bool computes = !op.getBody()->without_terminator().empty();
  bool reads =
      llvm::any_of(op.getDpsInputs(), [](Value v) { return isa<ShapedType>(v.getType()); });
  int64_t gathered = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    gathered += plan.dimension >= 0 && AccessPattern(op, *input).isStridedAlong(plan.dimension);
  return details.set("sizes", ArrayRef<int64_t>(LoopSizes(op).greatest()))
      .set("dimension", plan.dimension)
      .set("lanes", plan.lanes)
      .set("form", op.getNumReductionLoops()  ? "reduction"
                   : computes                 ? "elementwise"
                   : hasCopyBody(op) && reads ? "copy"
                                              : "fill")
      .set("bytes", greatestBytesOf(op.getDpsInits()[0]))
      .set("gathered", gathered);
}

BoolAttr writtenNonTemporal(Operation *op) {
  LoweringConfigAttr config = loweringConfigOf(op);
  return config ? config.getNonTemporal() : BoolAttr();
}

struct VectorizePass : impl::VectorizePassBase<VectorizePass> {
  using VectorizePassBase::VectorizePassBase;

  void runOnOperation() override {
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (selectOnly) {
      for (linalg::GenericOp op : generics())
        selectVectorization(op, target);
      return;
    }
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    expandIndices(rewriter, getOperation());
    // Last to first: elementwise operations that read a result may be fused, and their own turn is
    // over then.
    SmallVector<linalg::GenericOp> fusing = generics();
    for (linalg::GenericOp op : llvm::reverse(fusing))
      if (VectorizationChoice choice(op, target, writtenVectorization(op));
          choice && choice.strategy().fusesReader) {
        ++numWindows;
        carryOut(rewriter, op, choice, writtenNonTemporal(op), log);
      }
    for (linalg::GenericOp op : generics())
      hoistBroadcastInvariants(rewriter, op);
    for (linalg::GenericOp op : generics())
      vectorize(rewriter, op, log);
  }

private:
  SmallVector<linalg::GenericOp> generics() {
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) { found.push_back(op); });
    return found;
  }

  void vectorize(IRRewriter &rewriter, linalg::GenericOp op, DecisionLog &log) {
    bool inRegisters = isUnrolledFully(op);
    std::string written = writtenVectorization(op).str(); // collapsing forgets it
    BoolAttr nonTemporal = writtenNonTemporal(op);
    Operation *before = op->getPrevNode();
    // An index of a collapsed dimension would have to be divided.
    if (op.hasPureTensorSemantics() && op.getNumResults() == 1 && !op.hasIndexSemantics())
      op = collapseDimensions(rewriter, op, target.getVectorBits() / widestBits(op));
    VectorizationChoice choice(op, target, written);
    if (!choice) {
      reportVectorization(op, written, choice);
      return signalPassFailure();
    }
    ++(isScalar(choice) ? numScalar : numVectorized);
    Operation *next = op->getNextNode();
    carryOut(rewriter, op, choice, nonTemporal, log);
    if (inRegisters)
      unrollBetween(before, next);
  }

  static bool isScalar(const VectorizationChoice &choice) {
    return &choice.strategy() == &scalarLoops();
  }

  static StringRef whyScalar(const VectorizationChoice &choice) {
    StringRef why = choice.refusalOf(vectorLoops());
    return why.empty() ? "its lowering configuration says so" : why;
  }

  static void carryOut(IRRewriter &rewriter, linalg::GenericOp op,
                       const VectorizationChoice &choice, BoolAttr nonTemporal, DecisionLog &log) {
    if (log.isOn())
      record(op, choice, log);
    if (isScalar(choice)) // what remains has been decided on
      op->removeDiscardableAttr(loweringConfigAttrName);
    if (!nonTemporal)
      return choice.plan().emit(rewriter);
    Block *block = op->getBlock();
    llvm::SetVector<Operation *> before = storesIn(block);
    choice.plan().emit(rewriter);
    for (Operation *store : storesIn(block))
      if (!before.contains(store))
        store->setAttr(wantsNonTemporalAttrName, nonTemporal); // for kgen-non-temporal-stores
  }

  static llvm::SetVector<Operation *> storesIn(Block *block) {
    llvm::SetVector<Operation *> stores;
    block->walk([&](vector::TransferWriteOp write) { stores.insert(write); });
    return stores;
  }

  static void record(linalg::GenericOp op, const VectorizationChoice &choice, DecisionLog &log) {
    Location loc = op.getLoc();
    const VectorizationStrategy &strategy = choice.strategy();
    log.add(isScalar(choice) ? "scalar" : "vectorized", loc,
            describe(op, choice.plan(), log.details())
                .set("strategy", strategy.name)
                .set("offers", choice.offers(Builder(op.getContext()))));
    if (isScalar(choice))
      log.add("refused", loc, log.details().set("why", whyScalar(choice)));
    else if (&strategy != &vectorLoops())
      log.add("applied", loc, log.details().set("what", strategy.form));
  }

  TargetAttr target;
};

} // namespace
} // namespace kgen
