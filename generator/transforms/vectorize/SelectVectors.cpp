// Chooses the strategy that vectorizes an operation, along which loop and by which steps: decided
// once, on the form that the operation has after tiling.
#include "transforms/vectorize/SelectVectors.h"

#include "analysis/WindowShape.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/HoistBroadcastInvariants.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Affine/Utils.h>

using namespace mlir;

namespace kgen {
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

class VectorSelector {
public:
  VectorSelector(func::FuncOp function, TargetAttr target, DecisionLog &log)
      : function(function), target(target), log(log), rewriter(function.getContext()) {}

  FailureOr<VectorSelectionCounts> select() {
    expandIndices(rewriter, function);
    for (linalg::GenericOp op : undecided())
      if (configuredVector(op) && findVectorizationStrategy(configuredStrategy(op)))
        leave(op);
    // Last to first: elementwise operations that read a result may be fused, and are no operations
    // of their own then.
    SmallVector<linalg::GenericOp> fusing = undecided();
    for (linalg::GenericOp op : llvm::reverse(fusing))
      if (mayFuseReader(op))
        if (VectorizationChoice choice(op, target); choice && choice.strategy().fusesReader)
          write(op, choice, {});
    for (linalg::GenericOp op : undecided())
      hoistBroadcastInvariants(rewriter, op);
    for (linalg::GenericOp op : undecided())
      if (!decided.contains(op) && failed(select(op)))
        return failure();
    return counts;
  }

private:
  SmallVector<linalg::GenericOp> undecided() {
    SmallVector<linalg::GenericOp> found;
    function.walk([&](linalg::GenericOp op) {
      if (!decided.contains(op))
        found.push_back(op);
    });
    return found;
  }

  void leave(linalg::GenericOp op) {
    ++counts.given;
    decided.insert(op);
    if (findVectorizationStrategy(configuredStrategy(op))->fusesReader)
      if (std::unique_ptr<VectorizationPlan> plan = configuredPlan(op, target))
        leaveFused(op, *plan);
  }

  /// Leaves operations that are fused without vectors of their own: the reader, and the value that
  /// sums start from.
  void leaveFused(linalg::GenericOp op, const VectorizationPlan &plan) {
    if (plan.fusedReader)
      decided.insert(plan.fusedReader);
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::GenericOp>();
    if (!fill || !fillValue(op.getDpsInits()[0]))
      return;
    if (!fill->hasOneUse()) { // others need its elements
      rewriter.setInsertionPoint(fill);
      fill = cast<linalg::GenericOp>(rewriter.clone(*fill));
      op.getDpsInitsMutable()[0].set(fill.getResult(0));
    }
    decided.insert(fill);
  }

  /// Spares most operations the question what everything else costs.
  bool mayFuseReader(linalg::GenericOp op) const {
    return llvm::any_of(vectorizationStrategies(), [&](const VectorizationStrategy *strategy) {
      return strategy->fusesReader && strategy->match(op, target).plan;
    });
  }

  LogicalResult select(linalg::GenericOp op) {
    LoweringConfigAttr config = loweringConfigOrEmpty(op); // collapsing forgets it, and stores
    Stores stores = storesOf(op, target);
    // Written vectors are for the loops that there are. An index of a collapsed dimension would
    // have to be divided.
    if (!config.getVector() && op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
        !op.hasIndexSemantics())
      op = collapseDimensions(rewriter, op, target.getVectorBits() / widestBits(op));
    if (config.getStrategy())
      setLoweringConfig(op, loweringConfigOrEmpty(op).withStrategy(config.getStrategy()));
    if (config.getUnroll())
      setLoweringConfig(op, loweringConfigOrEmpty(op).withUnroll(*config.getUnroll()));
    writeStores(op, stores);
    VectorizationChoice choice(op, target);
    if (!choice && config.getStrategy() && config.getCache()) {
      // The last tile of a chain, which has fewer rows than the strategy was chosen for.
      op->removeDiscardableAttr(loweringConfigAttrName);
      if (config.getUnroll())
        setLoweringConfig(op, loweringConfigOrEmpty(op).withUnroll(*config.getUnroll()));
      choice = VectorizationChoice(op, target);
    }
    if (!choice) {
      reportVectorization(op, target);
      return failure();
    }
    write(op, choice, config);
    return success();
  }

  /// Tiles of tasks and caches are loops by now.
  void write(linalg::GenericOp op, const VectorizationChoice &choice, LoweringConfigAttr config) {
    ++counts.selected;
    decided.insert(op);
    if (choice.strategy().fusesReader)
      leaveFused(op, choice.plan());
    if (!config)
      config = loweringConfigOrEmpty(op);
    MLIRContext *context = op.getContext();
    linalg::GenericOp reader = choice.plan().fusedReader; // its result is stored
    Stores stores = storesOf(reader ? reader : op, target);
    setLoweringConfig(
        op, LoweringConfigAttr::get(
                context, {}, {}, DenseI64ArrayAttr::get(context, choice.plan().vector(op)),
                config.getUnroll() ? config.getUnroll() : choice.plan().unroll,
                config.getNonTemporal(), StringAttr::get(context, choice.strategy().name),
                config.getProvider(), config.getLayout()));
    writeStores(op, stores);
    if (log.isOn())
      log.add("strategy", op.getLoc(),
              log.details().set("offers", choice.offers(Builder(context))));
  }

  func::FuncOp function;
  TargetAttr target;
  DecisionLog &log;
  IRRewriter rewriter;
  VectorSelectionCounts counts;
  llvm::SmallPtrSet<Operation *, 16> decided; ///< whose vectors are written, and what they fuse
};

} // namespace

FailureOr<VectorSelectionCounts> selectVectors(func::FuncOp function, TargetAttr target,
                                               DecisionLog &log) {
  return VectorSelector(function, target, log).select();
}

} // namespace kgen
