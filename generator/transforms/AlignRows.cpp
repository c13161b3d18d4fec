// A whose rows begin on cache lines, for kernels on tile registers.
#include "dialect/kgen/Decisions.h"
#include "transforms/Boxes.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ALIGNROWSPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

constexpr int64_t lineBytes = 64;

/// Whether the copy costs less than what it saves: a row of a tile that lies on two lines takes a
/// few cycles more, for every panel of B.
bool pays(ContractionOpInterface op, TargetAttr target) {
  auto type = dyn_cast<RankedTensorType>(op.getA().getType());
  unsigned k = op.getAMap().getNumDims() - 1;
  if (!type || !op.getPanel() || op.getReduced() || op.getSequential() || type.getRank() < 2 ||
      op.getReductionRank() != 1 || !tpp::blockingOf(op, target).tiles ||
      op.getAMap().getDimPosition(type.getRank() - 1) != k)
    return false;
  constexpr int64_t fewPanels = 2, fewRows = 16;
  int64_t bytes = op.getK() * (type.getElementTypeBitWidth() / 8);
  return bytes > lineBytes && bytes % lineBytes != 0 && op.getM() >= fewRows &&
         op.getN() > fewPanels * static_cast<int64_t>(*op.getPanel());
}

/// Reads A from a tensor with longer rows: which part of them counts, the operation says.
void align(ContractionOpInterface op) {
  OpBuilder b(op);
  Location loc = withPurpose(b.getFusedLoc({op.getLoc(), op.getA().getLoc()}), "align");
  auto type = cast<RankedTensorType>(op.getA().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = llvm::alignTo(shape.back(), lineBytes * 8 / type.getElementTypeBitWidth());
  Value longer = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Box box(b, SmallVector<int64_t>(shape.size(), 0), type.getShape());
  op->setAttr("reduced", b.getDenseI64ArrayAttr({op.getK()}));
  op->setOperand(0, insert(b, loc, op.getA(), longer, box));
}

struct AlignRowsPass : impl::AlignRowsPassBase<AlignRowsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    getOperation().walk([&](ContractionOpInterface op) {
      if (pays(op, target))
        align(op);
    });
  }
};

} // namespace
} // namespace kgen
