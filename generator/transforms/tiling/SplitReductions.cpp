// Splits large reductions with few results into equal partial reductions, for tasks.
#include "costmodel/TaskTiles.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/Passes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/CollapseDimensions.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SPLITREDUCTIONSPASS
#include "transforms/tiling/Passes.h.inc"

namespace {

constexpr int64_t minSplits = 2; // one task's work needs no others

struct SplitReductionsPass : impl::SplitReductionsPassBase<SplitReductionsPass> {
  using SplitReductionsPassBase::SplitReductionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> reductions;
    for (Operation &op : getOperation().getBody().front())
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && isPlainReduction(generic))
        reductions.push_back(generic);
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : reductions) {
      int64_t splits = splitsOf(op);
      if (splits < minSplits)
        continue;
      Location loc = op.getLoc();
      // linalg::splitReduction wants a single reduced loop.
      op = collapseDimensions(rewriter, op, /*lanes=*/1);
      if (op.getNumReductionLoops() != 1) {
        ++numRefused;
        log.add("refused", loc, log.details().set("why", "reduced loops are not contiguous"));
        continue;
      }
      if (failed(split(rewriter, op, splits)))
        return signalPassFailure();
      ++numSplit;
      log.add("applied", loc,
              log.details().set("what",
                                "split into " + std::to_string(splits) + " partial reductions"));
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

  /// Returns the number of partial reductions: one for each task's worth of work, if there are too
  /// few results for tasks, or if results are contiguous while reduced rows are not, so that a task
  /// for some results would read short slices of many rows. 0 if the reduction stays.
  int64_t splitsOf(linalg::GenericOp op) const {
    int64_t results = 1;
    for (auto [kind, size] : llvm::zip(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
      if (kind == utils::IteratorType::parallel)
        results *= size;
    if (results == 0)
      return 0;
    // Partial reductions are the tasks.
    const Cpu &cpu = cpuOf(op);
    int64_t maxSplits = maxTasksOf(cpu);
    if (results < cpu.heuristics.minTasks)
      return std::min(maxSplits / results, workOf(op) / taskWork);
    int64_t splits = std::min<int64_t>(maxSplits, workOf(op) / taskWork);
    bool hasShortRuns = bytesOf(op.getDpsInits()[0].getType()) < splits * cpu.pageBytes;
    return hasShortRuns && isVertical(op) ? splits : 0;
  }

  /// True if the outermost loop is reduced and the innermost one is parallel (vertical reduction).
  static bool isVertical(linalg::GenericOp op) {
    SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
    return loops.front() == utils::IteratorType::reduction &&
           loops.back() == utils::IteratorType::parallel;
  }

  /// The operation on a range of the reduced loop, starting from `init`.
  static linalg::GenericOp sliceReduction(RewriterBase &b, linalg::GenericOp op, unsigned loop,
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
          strides(type.getRank(), b.getIndexAttr(1)),
          sizes = getAsIndexOpFoldResult(op.getContext(), type.getShape());
      offsets[*position] = b.getIndexAttr(from);
      sizes[*position] = b.getIndexAttr(size);
      operands.push_back(
          tensor::ExtractSliceOp::create(b, op.getLoc(), input->get(), offsets, sizes, strides));
    }
    operands.push_back(init);
    return cast<linalg::GenericOp>(mlir::clone(b, op, op->getResultTypes(), operands));
  }

  /// Splits the range that is a multiple of `splits`; the remainder is reduced into its result.
  static LogicalResult split(IRRewriter &b, linalg::GenericOp op, int64_t splits) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    unsigned loop = loops.front();
    int64_t size = op.getStaticLoopRanges()[loop], end = size / splits * splits;
    if (end == 0)
      return success();
    Value init = op.getDpsInits()[0];
    b.setInsertionPoint(op);
    linalg::GenericOp divisible = end == size ? op : sliceReduction(b, op, loop, 0, end, init);
    if (end != size) {
      linalg::GenericOp remainder =
          sliceReduction(b, op, loop, end, size - end, divisible.getResult(0));
      b.replaceOp(op, remainder.getResults());
    }
    b.setInsertionPoint(divisible);
    return linalg::splitReduction(b, divisible, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{splits, 0, false};
    });
  }
};

} // namespace
} // namespace kgen
