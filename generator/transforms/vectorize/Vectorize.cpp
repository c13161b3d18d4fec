// linalg.generic on tensors becomes loops over vectors, with the remainder as one shorter vector.
#include "transforms/Passes.h"
#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/FlattenedRows.h"
#include "transforms/vectorize/HoistBroadcastInvariants.h"
#include "transforms/vectorize/InterleavedCopies.h"
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

/// What tasks add to the indices of their part becomes additions, of which vectors can be made.
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
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    expandIndices(rewriter, getOperation());
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    // These take along elementwise operations that come after them, which have had their turn then.
    for (linalg::GenericOp op : llvm::reverse(generics)) {
      Location loc = op.getLoc();
      Details details = Vectorizer(rewriter, op, target).describe(log.details());
      if (std::optional<unsigned> channels = vectorizeWindowNHWC(rewriter, op, target))
        log.add("vectorized", loc, details.set("dimension", static_cast<int64_t>(*channels)));
      else if (vectorizeWindowNCHW(rewriter, op, target))
        log.add("vectorized", loc, details);
    }
    rewriter.setListener(nullptr);
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      hoistBroadcastInvariants(rewriter, op);
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics) {
      bool inRegisters = isUnrolledFully(op);
      Operation *before = op->getPrevNode();
      // Indices of a collapsed dimension would have to be divided.
      if (op.hasPureTensorSemantics() && op.getNumResults() == 1 && !op.hasIndexSemantics())
        op = collapseDimensions(rewriter, op);
      Vectorizer vectorizer(rewriter, op, target);
      Value result = vectorizeInterleavedCopy(rewriter, op, target);
      if (!result)
        result = vectorizeFlattened(rewriter, op, target);
      if (!result)
        result = vectorizeFullLines(rewriter, op, target);
      if (!result)
        result = vectorizer.run();
      if (log.isOn())
        log.add(result ? "vectorized" : "scalar", op.getLoc(), vectorizer.describe(log.details()));
      Operation *next = op->getNextNode();
      if (result)
        rewriter.replaceOp(op, result);
      if (inRegisters)
        unrollBetween(before, next);
    }
  }
};

} // namespace
} // namespace kgen
