// Turns linalg.generic on tensors into loops over vectors; the remainder is one shorter vector.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/FlattenedRows.h"
#include "transforms/vectorize/HoistBroadcastInvariants.h"
#include "transforms/vectorize/InterleavedCopies.h"
#include "transforms/vectorize/PairShuffles.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/Vectorizer.h"
#include "transforms/vectorize/WindowVectorizerNCHW.h"
#include "transforms/vectorize/WindowVectorizerNHWC.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Affine/Utils.h>
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

struct VectorizePass : impl::VectorizePassBase<VectorizePass> {
  void runOnOperation() override {
    target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    expandIndices(rewriter, getOperation());
    // Last to first: windows fuse elementwise operations behind them, whose own turn is over then.
    SmallVector<linalg::GenericOp> windows = generics();
    for (linalg::GenericOp op : llvm::reverse(windows))
      vectorizeWindows(rewriter, op, log);
    rewriter.setListener(nullptr);
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

  void vectorizeWindows(IRRewriter &rewriter, linalg::GenericOp op, DecisionLog &log) {
    Location loc = op.getLoc();
    Details details = Vectorizer(rewriter, op, target).describe(log.details());
    if (std::optional<unsigned> channels = vectorizeWindowNHWC(rewriter, op, target)) {
      details.set("dimension", static_cast<int64_t>(*channels));
      recordForm(log, loc, "windows with vectors of channels");
    } else if (vectorizeWindowNCHW(rewriter, op, target)) {
      recordForm(log, loc, "windows with vectors of columns");
    } else {
      return;
    }
    ++numWindows;
    log.add("vectorized", loc, details);
  }

  void vectorize(IRRewriter &rewriter, linalg::GenericOp op, DecisionLog &log) {
    bool inRegisters = isUnrolledFully(op);
    Operation *before = op->getPrevNode();
    // An index of a collapsed dimension would have to be divided.
    if (op.hasPureTensorSemantics() && op.getNumResults() == 1 && !op.hasIndexSemantics())
      op = collapseDimensions(rewriter, op);
    Vectorizer vectorizer(rewriter, op, target);
    Value result;
    StringRef form;
    if ((result = vectorizeInterleavedCopy(rewriter, op, target)))
      form = "a copy that interleaves vectors";
    else if ((result = vectorizePairs(rewriter, op, target)))
      form = "pairs whose elements change places in a vector";
    else if ((result = vectorizeFlattened(rewriter, op, target)))
      form = "rows flattened to one";
    else if ((result = vectorizeFullLines(rewriter, op, target)))
      form = "vectors that are full cache lines of the result";
    else
      result = vectorizer.run();
    record(log, op.getLoc(), vectorizer, result != nullptr, form);
    Operation *next = op->getNextNode();
    if (result)
      rewriter.replaceOp(op, result);
    if (inRegisters)
      unrollBetween(before, next);
  }

  void record(DecisionLog &log, Location loc, Vectorizer &vectorizer, bool isVectorized,
              StringRef form) {
    ++(isVectorized ? numVectorized : numScalar);
    if (!log.isOn())
      return;
    log.add(isVectorized ? "vectorized" : "scalar", loc, vectorizer.describe(log.details()));
    if (!form.empty())
      recordForm(log, loc, form);
    if (!isVectorized)
      log.add("refused", loc, log.details().set("why", vectorizer.refusal()));
  }

  static void recordForm(DecisionLog &log, Location loc, StringRef form) {
    log.add("applied", loc, log.details().set("what", form));
  }

  TargetAttr target;
};

} // namespace
} // namespace kgen
