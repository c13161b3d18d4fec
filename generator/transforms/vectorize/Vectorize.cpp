// Lowers linalg.generic on tensors into loops over vectors: each by the strategy that is written on
// it.
#include "analysis/AccessPattern.h"
#include "analysis/ViewSource.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/Passes.h"
#include "transforms/vectorize/SelectVectors.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizationStrategy.h"

#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VECTORIZEPASS
#include "transforms/vectorize/Passes.h.inc"

namespace {

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
      .set("stores", stringifyStores(writtenStores(op).value_or(Stores::cached)))
      .set("gathered", gathered);
}

struct VectorizePass : impl::VectorizePassBase<VectorizePass> {
  void runOnOperation() override {
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    // Operations without a decision, as kgen-select-tiling decides.
    if (failed(selectVectors(getOperation(), target, log)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    // Last to first: a plan that fuses a reader needs those after it as loops.
    SmallVector<linalg::GenericOp> fusing = generics();
    for (linalg::GenericOp op : llvm::reverse(fusing))
      if (const VectorizationStrategy *strategy = findVectorizationStrategy(configuredStrategy(op));
          strategy && strategy->fusesReader) {
        ++numWindows;
        if (failed(carryOut(rewriter, op, log)))
          return signalPassFailure();
      }
    for (linalg::GenericOp op : generics())
      if (!configuredVector(op))
        rewriter.eraseOp(op); // the fill of a window, which begins with its value
      else if (failed(vectorize(rewriter, op, log)))
        return signalPassFailure();
  }

private:
  SmallVector<linalg::GenericOp> generics() {
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) { found.push_back(op); });
    return found;
  }

  LogicalResult vectorize(IRRewriter &rewriter, linalg::GenericOp op, DecisionLog &log) {
    bool inRegisters = isUnrolledFully(op);
    Operation *before = op->getPrevNode(), *next = op->getNextNode();
    ++(isScalar(op) ? numScalar : numVectorized);
    if (failed(carryOut(rewriter, op, log)))
      return failure();
    if (inRegisters)
      unrollBetween(before, next);
    return success();
  }

  static bool isScalar(linalg::GenericOp op) {
    return configuredStrategy(op) == scalarLoops().name;
  }

  LogicalResult carryOut(IRRewriter &rewriter, linalg::GenericOp op, DecisionLog &log) {
    std::unique_ptr<VectorizationPlan> plan = configuredPlan(op, target);
    if (!plan) {
      reportVectorization(op, target);
      return failure();
    }
    if (log.isOn() || isDebugged())
      record(op, *plan, log);
    BoolAttr demanded = loweringConfigOf(op).getNonTemporal();
    Stores orders = nonTemporalOrders(writtenStores(op).value_or(Stores::cached));
    if (isScalar(op)) // what remains has been decided on
      for (StringRef name : {StringRef(loweringConfigAttrName), StringRef(storesAttrName)})
        op->removeDiscardableAttr(name);
    if (!demanded && orders == Stores::cached) {
      plan->emit(rewriter);
      return success();
    }
    Block *block = op->getBlock();
    Value result = writtenTensor((plan->fusedReader ? plan->fusedReader : op).getDpsInits()[0]);
    Writes before = storesIn(block);
    plan->emit(rewriter);
    for (vector::TransferWriteOp store : storesIn(block)) {
      if (before.contains(store))
        continue;
      if (demanded)
        store->setAttr(wantsNonTemporalAttrName, demanded); // for kgen-non-temporal-stores
      if (orders != Stores::cached && writtenTensor(store.getBase()) == result)
        writeStores(store, orders);
    }
    return success();
  }

  /// The tensor that `tensor` is a part of, or that it was before stores into it.
  static Value writtenTensor(Value tensor) {
    for (;;) {
      tensor = viewSourceThroughLoops(tensor);
      auto store = tensor.getDefiningOp<vector::TransferWriteOp>();
      if (!store)
        return tensor;
      tensor = store.getBase();
    }
  }

  using Writes = llvm::SetVector<vector::TransferWriteOp>;

  static Writes storesIn(Block *block) {
    Writes stores;
    block->walk([&](vector::TransferWriteOp write) { stores.insert(write); });
    return stores;
  }

  void record(linalg::GenericOp op, const VectorizationPlan &plan, DecisionLog &log) {
    Location loc = op.getLoc();
    const VectorizationStrategy &strategy = *findVectorizationStrategy(configuredStrategy(op));
    log.add(isScalar(op) ? "scalar" : "vectorized", loc,
            describe(op, plan, log.details()).set("strategy", strategy.name));
    if (isScalar(op))
      log.add("refused", loc, log.details().set("why", whyScalar(op)));
    else if (&strategy != &vectorLoops())
      log.add("applied", loc, log.details().set("what", strategy.form));
  }

  StringRef whyScalar(linalg::GenericOp op) {
    StringRef why = vectorLoops().match(op, target).refusal;
    return why.empty() ? "its lowering configuration says so" : why;
  }

  TargetAttr target;
};

} // namespace
} // namespace kgen
