// Padding of an elementwise operation whose padded results are cut off may have any value.
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDEPILOGUEPADSPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

bool isAtOrigin(tensor::ExtractSliceOp slice) {
  return llvm::all_of(slice.getMixedOffsets(),
                      [](OpFoldResult o) { return isConstantIntValue(o, 0); }) &&
         slice.hasUnitStride();
}

/// True if each element of the result depends on the elements at its own position, and only a slice
/// at the origin is read.
bool isCutOff(linalg::GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops() && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
           return slice && isAtOrigin(slice);
         });
}

/// Returns what the pad pads was cut off from, if it has the pad's shape.
Value uncutSource(tensor::PadOp pad) {
  auto slice = pad.getSource().getDefiningOp<tensor::ExtractSliceOp>();
  bool isWhole = slice && isAtOrigin(slice) && slice.getSourceType() == pad.getType() &&
                 llvm::all_of(pad.getMixedLowPad(),
                              [](OpFoldResult low) { return isConstantIntValue(low, 0); });
  return isWhole ? slice.getSource() : Value();
}

struct FoldEpiloguePadsPass : impl::FoldEpiloguePadsPassBase<FoldEpiloguePadsPass> {
  void fold(linalg::GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto pad = input->get().getDefiningOp<tensor::PadOp>();
      Value source =
          pad && op.getMatchingIndexingMap(input).isIdentity() ? uncutSource(pad) : Value();
      if (!source)
        continue;
      input->set(source);
      ++numFolded;
    }
    OpOperand *init = op.getDpsInitOperand(0);
    auto pad = init->get().getDefiningOp<tensor::PadOp>();
    if (!pad || op.payloadUsesValueFromOperand(init) || !pad.getType().hasStaticShape())
      return;
    OpBuilder b(op);
    init->set(
        emptyTensor(b, op.getLoc(), pad.getType().getShape(), pad.getType().getElementType()));
    ++numFolded;
  }

  void runOnOperation() override {
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isCutOff(op))
        fold(op);
    });
  }
};

} // namespace
} // namespace kgen
