// One tensor.empty for each use, and one fill for each destination: unrelated values must not share
// a buffer. Empties are numbered, or else CSE would merge what starts from two of them in the same
// way, like the padding of two images.
#include "analysis/OperandLiveness.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Schedule.h"
#include "transforms/bufferize/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_UNIQUIFYEMPTIESPASS
#include "transforms/bufferize/Passes.h.inc"

namespace {

/// True if `op` fills a tensor.empty without reading another tensor.
bool isFill(linalg::LinalgOp op) {
  return op->getNumResults() == 1 && op.getNumLoops() == op.getNumParallelLoops() &&
         op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>() &&
         llvm::none_of(op.getDpsInputs(), [](Value v) { return isa<ShapedType>(v.getType()); });
}

/// True if the user overwrites the operand: its init, or what a loop starts from.
bool isWrittenOver(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto op = dyn_cast<DestinationStyleOpInterface>(user))
    return op.isDpsInit(&use);
  auto loop = dyn_cast<LoopLikeOpInterface>(user);
  return loop && llvm::is_contained(loop.getInits(), use.get());
}

struct UniquifyEmptiesPass : impl::UniquifyEmptiesPassBase<UniquifyEmptiesPass> {
  void runOnOperation() override {
    dropDestinationsOfStates(getOperation());
    separateStates(getOperation());
    splitFills();
    foldSlices();
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk([&](tensor::EmptyOp op) { empties.push_back(op); });
    int64_t number = 0;
    for (tensor::EmptyOp empty : empties) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : empty->getUses())
        uses.push_back(&use);
      for (OpOperand *use : uses) {
        OpBuilder builder(use->getOwner());
        Operation *own = builder.clone(*empty);
        own->setAttr("kgen.unique_id", builder.getI64IntegerAttr(number++));
        use->set(own->getResult(0));
        ++numEmpties;
      }
      empty.erase();
    }
  }

private:
  /// Slices of empty tensors are left by the elimination of empty tensors where parts of one result
  /// are inserted one after the other, as of schedules.
  void foldSlices() {
    SmallVector<tensor::ExtractSliceOp> slices;
    getOperation().walk([&](tensor::ExtractSliceOp op) {
      auto empty = op.getSource().getDefiningOp<tensor::EmptyOp>();
      if (empty && empty->hasAttr(partsAttrName) && op.getDroppedDims().none())
        slices.push_back(op);
    });
    for (tensor::ExtractSliceOp slice : slices) {
      OpBuilder builder(slice);
      Value empty = emptyTensor(builder, slice.getLoc(), slice.getMixedSizes(),
                                slice.getType().getElementType());
      slice.replaceAllUsesWith(empty);
      slice.erase();
    }
  }

  void splitFills() {
    SmallVector<linalg::LinalgOp> fills;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isFill(op))
        fills.push_back(op);
    });
    for (linalg::LinalgOp fill : fills) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : fill->getUses())
        if (isWrittenOver(use))
          uses.push_back(&use);
      if (fill->hasOneUse())
        continue;
      OpBuilder builder(fill);
      numFills += uses.size();
      for (OpOperand *use : uses)
        use->set(builder.clone(*fill.getOperation())->getResult(0));
      if (fill->use_empty())
        fill->erase();
    }
  }
};

} // namespace
} // namespace kgen
