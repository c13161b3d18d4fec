// A tensor that is added to a contraction becomes its destination if nobody reads it afterwards.
#include "analysis/OperandLiveness.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/fusion/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDADDINTODESTPASS
#include "transforms/fusion/Passes.h.inc"

namespace {

/// True if `value` is the result of a contraction, or of elementwise operations that will become
/// the epilogue of one. Other elementwise addends are cheaper as operands of the epilogue of the
/// contraction that they are added to.
bool isContractionResult(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return false;
  if (linalg::isaContractionOpInterface(op))
    return true;
  return op.getNumLoops() == op.getNumParallelLoops() && isa<linalg::GenericOp>(op) &&
         llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return input.getType() == value.getType() && isLastUse(input, op) &&
                  isContractionResult(input);
         });
}

/// True if `op` is `a + b` of floats, element by element.
bool isAdd(linalg::LinalgOp op) {
  if (isa<linalg::AddOp>(op))
    return true;
  Block &body = *op.getBlock();
  return isa<linalg::GenericOp>(op) && op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap m) { return m.isIdentity(); }) &&
         llvm::range_size(body.without_terminator()) == 1 && isa<arith::AddFOp>(body.front());
}

/// True if one operand of the sum `op` is the result of a contraction, and the other one is an
/// addend that is computed before that contraction and that only `op` reads.
bool canAccumulate(linalg::LinalgOp op) {
  auto accumulatesInto = [&](Value addend, Value product) {
    auto contraction = product.getDefiningOp<linalg::LinalgOp>();
    return contraction && linalg::isaContractionOpInterface(contraction) &&
           isLastUse(product, op) && isLastUse(addend, op) && isContractionResult(addend) &&
           addend.getDefiningOp()->isBeforeInBlock(contraction);
  };
  if (!op.hasPureTensorSemantics() || !isAdd(op))
    return false;
  Value x = op.getDpsInputs()[0], y = op.getDpsInputs()[1];
  return x != y && (accumulatesInto(x, y) || accumulatesInto(y, x));
}

using tpp::ContractionOpInterface;

/// The addition that is the only use of `value`, or null.
arith::AddFOp onlyAdditionOf(Value value) {
  return value.hasOneUse() ? dyn_cast<arith::AddFOp>(*value.user_begin()) : arith::AddFOp();
}

/// True if `addend` and `accumulator` are summands of one sum: only additions use them, down to one
/// that both reach.
bool isAddedToAccumulator(BlockArgument addend, BlockArgument accumulator) {
  llvm::SmallDenseSet<Operation *> sums;
  for (arith::AddFOp sum = onlyAdditionOf(addend); sum; sum = onlyAdditionOf(sum))
    sums.insert(sum);
  for (arith::AddFOp sum = onlyAdditionOf(accumulator); sum; sum = onlyAdditionOf(sum))
    if (sums.contains(sum))
      return true;
  return false;
}

/// The reason why the sums of `gemm` cannot be accumulated into `addend`; empty if they can: it is
/// another contraction's result in memory of this function, which nobody reads after `gemm`.
StringRef refusalOf(Value addend, ContractionOpInterface gemm) {
  auto producer = addend.getDefiningOp<ContractionOpInterface>();
  if (!producer || producer->getBlock() != gemm->getBlock())
    return "the addend is no contraction's result";
  if (!startsFromEmpty(addend))
    return "the addend is in memory of the caller, or an accumulator itself";
  if (!isLastReader(addend, gemm, gemm.getOperation()) || addend == gemm.getA() ||
      addend == gemm.getB() || llvm::count(gemm.getEpilogueIns(), addend) != 1)
    return "the addend is read again";
  return {};
}

/// True if `gemm` starts from zero and its accumulators and its result have one type of floats.
bool canStartFromTensor(ContractionOpInterface gemm) {
  Type type = gemm.getAccumulatorType();
  return isa<RankedTensorType>(gemm.getInit().getType()) && !gemm.getAccumulate() &&
         !gemm.getStrictOrder() && !gemm.getF16Accumulate() && isa<FloatType>(type) &&
         gemm.getCType().getElementType() == type &&
         gemm.getInit().getDefiningOp<tensor::EmptyOp>();
}

/// Replaces `gemm` by a contraction that accumulates into its epilogue operand `index`.
void startFrom(unsigned index, ContractionOpInterface gemm) {
  IRRewriter rewriter(gemm);
  SmallVector<Value> operands(gemm.getEpilogueIns());
  SmallVector<AffineMap> maps(gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  Value start = operands[index];
  operands.erase(operands.begin() + index);
  maps.erase(maps.begin() + index);
  auto fused = tpp::cloneWithoutEpilogue(rewriter, gemm, gemm.getLoc(), operands, maps, start);
  fused->setAttr("accumulate", rewriter.getUnitAttr());
  rewriter.inlineRegionBefore(gemm.getEpilogue(), fused.getEpilogue(), fused.getEpilogue().end());
  Block &body = fused.getEpilogue().front();
  BlockArgument argument = body.getArgument(index + 1);
  arith::AddFOp sum = onlyAdditionOf(argument);
  rewriter.replaceOp(sum, sum.getLhs() == argument ? sum.getRhs() : sum.getLhs());
  body.eraseArgument(index + 1);
  rewriter.replaceOp(gemm, fused->getResults());
}

struct FoldAddIntoDestPass : impl::FoldAddIntoDestPassBase<FoldAddIntoDestPass> {
  using FoldAddIntoDestPassBase::FoldAddIntoDestPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    if (failed(foldAdds(log)))
      return signalPassFailure();
    SmallVector<ContractionOpInterface> gemms;
    getOperation().walk([&](ContractionOpInterface gemm) { gemms.push_back(gemm); });
    for (ContractionOpInterface gemm : gemms)
      if (canStartFromTensor(gemm))
        foldEpilogueAdd(gemm, log);
  }

private:
  void recordFold(Location loc, DecisionLog &log) {
    log.add("applied", loc,
            log.details().set("what", "accumulates into a tensor that was added to its result"));
    ++numFolded;
  }

  /// Sums of linalg. What is refused here becomes an epilogue and is tried again as such.
  LogicalResult foldAdds(DecisionLog &log) {
    SmallVector<linalg::LinalgOp> sums;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (canAccumulate(op))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> adds;
    for (linalg::LinalgOp op : sums) {
      recordFold(op.getLoc(), log);
      // Upstream's pattern knows sums by name.
      rewriter.setInsertionPoint(op);
      if (auto generic = dyn_cast<linalg::GenericOp>(*op))
        if (auto named = linalg::specializeGenericOp(rewriter, generic); succeeded(named))
          op = *named;
      adds.push_back(op);
    }
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldAddIntoDestPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingOps);
    if (failed(applyOpPatternsGreedily(adds, std::move(patterns), config)))
      return failure();
    // The pattern leaves unused sums.
    getOperation().walk([](linalg::AddOp op) {
      if (op->use_empty())
        op.erase();
    });
    return success();
  }

  /// The first epilogue operand that `gemm` adds to its sums and can accumulate into.
  void foldEpilogueAdd(ContractionOpInterface gemm, DecisionLog &log) {
    Block &body = gemm.getEpilogue().front();
    auto maps = gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>();
    StringRef refusal;
    for (auto [index, operand, map] : llvm::enumerate(gemm.getEpilogueIns(), maps)) {
      if (!map.isIdentity() || operand.getType() != gemm.getInit().getType() ||
          !isAddedToAccumulator(body.getArgument(index + 1), body.getArgument(0)))
        continue;
      refusal = refusalOf(operand, gemm);
      if (!refusal.empty())
        continue;
      recordFold(gemm.getLoc(), log);
      return startFrom(index, gemm);
    }
    if (refusal.empty())
      return;
    log.add("refused", gemm.getLoc(), log.details().set("why", refusal));
    ++numRefused;
  }
};

} // namespace
} // namespace kgen
