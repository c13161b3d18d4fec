// Large reductions to few results become reductions of equal parts, for tasks.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/vectorize/CollapseDimensions.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t mostParts = 32, fewestParts = 2, enoughResults = 4;

struct SplitReductionsPass : impl::SplitReductionsPassBase<SplitReductionsPass> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> reductions;
    for (Operation &op : getOperation().getBody().front())
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && isPlainReduction(generic))
        reductions.push_back(generic);
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : reductions) {
      int64_t parts = partsOf(op);
      if (parts < fewestParts)
        continue;
      // Upstream splits operations of one loop that is reduced.
      op = collapseDimensions(rewriter, op);
      if (op.getNumReductionLoops() == 1 && failed(split(rewriter, op, parts)))
        return signalPassFailure();
    }
  }

private:
  static bool isPlainReduction(linalg::GenericOp op) {
    SmallVector<Operation *> combiners;
    return op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 && !op.hasDynamicShape() &&
           op.getNumReductionLoops() > 0 && !op.hasIndexSemantics() &&
           op.getRegion().getOps<tensor::ExtractOp>().empty() &&
           llvm::all_of(op.getIndexingMapsArray(),
                        [](AffineMap map) { return map.isProjectedPermutation(); }) &&
           llvm::all_of(op.getDpsInputs(),
                        [](Value v) { return isa<RankedTensorType>(v.getType()); }) &&
           matchReduction(op.getRegionOutputArgs(), 0, combiners) && combiners.size() == 1 &&
           arith::getNeutralElement(combiners.front());
  }

  /// As many as are worth a task each, where the results are too few for that; or where they lie
  /// beside each other, so that a task for some of them would read short pieces of many rows.
  int64_t partsOf(linalg::GenericOp op) const {
    int64_t results = 1;
    for (auto [kind, size] : llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
      if (kind == utils::IteratorType::parallel)
        results *= size;
    if (results == 0)
      return 0;
    if (results < enoughResults)
      return std::min(mostParts / results, workOf(op) / taskWork);
    constexpr int64_t shortest = 4096; // bytes
    int64_t parts = std::min<int64_t>(mostParts, workOf(op) / taskWork);
    bool areShort = bytesOf(op.getDpsInits()[0].getType()) < parts * shortest;
    return areShort && isAcross(op) ? parts : 0;
  }

  /// Whether the outermost loop is reduced and the innermost one is not.
  static bool isAcross(linalg::GenericOp op) {
    SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
    return loops.front() == utils::IteratorType::reduction &&
           loops.back() == utils::IteratorType::parallel;
  }

  /// The operation on a range of the loop that is reduced, beginning with `init`.
  static linalg::GenericOp ofRange(RewriterBase &b, linalg::GenericOp op, unsigned loop,
                                   int64_t from, int64_t size, Value init) {
    SmallVector<Value> operands;
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto type = cast<RankedTensorType>(input->get().getType());
      auto position = op.getMatchingIndexingMap(input).getResultPosition(
          getAffineDimExpr(loop, op.getContext()));
      if (!position) {
        operands.push_back(input->get());
        continue;
      }
      SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
          steps(type.getRank(), b.getIndexAttr(1)),
          sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
      offsets[*position] = b.getIndexAttr(from);
      sizes[*position] = b.getIndexAttr(size);
      operands.push_back(
          tensor::ExtractSliceOp::create(b, op.getLoc(), input->get(), offsets, sizes, steps));
    }
    operands.push_back(init);
    return cast<linalg::GenericOp>(mlir::clone(b, op, op->getResultTypes(), operands));
  }

  /// What is left beside equal parts is added to their sum.
  static LogicalResult split(IRRewriter &b, linalg::GenericOp op, int64_t parts) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    unsigned loop = loops.front();
    int64_t size = op.getStaticLoopRanges()[loop], whole = size / parts * parts;
    if (whole == 0)
      return success();
    Value init = op.getDpsInits()[0];
    b.setInsertionPoint(op);
    linalg::GenericOp most = whole == size ? op : ofRange(b, op, loop, 0, whole, init);
    if (whole != size) {
      linalg::GenericOp rest = ofRange(b, op, loop, whole, size - whole, most.getResult(0));
      b.replaceOp(op, rest.getResults());
    }
    b.setInsertionPoint(most);
    return linalg::splitReduction(b, most, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{parts, 0, false};
    });
  }
};

} // namespace
} // namespace kgen
