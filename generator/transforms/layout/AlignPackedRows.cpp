// A whose rows begin on cache lines, for kernels on tile registers, and in different parts of the
// first cache, where the caller has laid them out, for all others.
#include "dialect/kgen/Decisions.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ALIGNPACKEDROWSPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

/// Whether rows of A could be longer.
bool hasRows(ContractionOpInterface op) {
  auto type = dyn_cast<RankedTensorType>(op.getA().getType());
  unsigned k = op.getAMap().getNumDims() - 1;
  return type && !op.getReductionSizes() && !op.getStrictOrder() && type.getRank() >= 2 &&
         op.getReductionRank() == 1 && op.getAMap().getDimPosition(type.getRank() - 1) == k;
}

/// Whether A is memory that the caller has laid out; rows of other memory grow in place
/// (kgen-pad-leading-dimension).
bool isOfCaller(Value a) {
  while (Operation *view = a.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::CastOp>(view))
      return isa<bufferization::ToTensorOp>(view);
    a = view->getOperand(0);
  }
  return true;
}

/// Kernels on tile registers: a row of a tile that lies on two lines takes a few cycles more, for
/// every panel of B.
bool hasSplitLines(ContractionOpInterface op) {
  constexpr int64_t fewPanels = 2;
  int64_t bytes = op.getK() * bytesOfElement(op.getAType());
  return bytes > lineBytes && bytes % lineBytes != 0 &&
         op.getN() > fewPanels * static_cast<int64_t>(*op.getPanel());
}

/// Other kernels read all rows of a register tile side by side. Rows that are a multiple of a page
/// apart lie in the same set of the first cache, which is indexed by the place in a page; with half
/// of a page it is every other row. If these take more than half of a set's ways, they and B's
/// panel drive each other out. A copy is worth it for as many panels as make it a small part.
bool areInOneSet(ContractionOpInterface op, TargetAttr target, const GemmBlocking &blocking) {
  constexpr int64_t panelsForCopy = 16;
  int64_t panel = op.getPanel() ? static_cast<int64_t>(*op.getPanel()) : blocking.nr;
  return op.getK() > 0 && isOfCaller(op.getA()) &&
         crowdsSet(target, blocking.mr, op.getK() * bytesOfElement(op.getAType())) &&
         op.getN() >= panelsForCopy * panel;
}

/// Whether the copy costs less than what it saves.
bool paysToAlign(ContractionOpInterface op, TargetAttr target) {
  constexpr int64_t fewRows = 16;
  if (!hasRows(op) || op.getM() < fewRows)
    return false;
  GemmBlocking blocking = tpp::blockingOf(op, target);
  return blocking.tiles ? hasSplitLines(op) : areInOneSet(op, target, blocking);
}

/// A tensor with longer rows that begin with those of `a`: up to a line's end, or by a line.
Value inLongerRows(OpBuilder &b, Location loc, Value a) {
  auto type = cast<RankedTensorType>(a.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t line = lineBytes / bytesOfElement(type);
  shape.back() =
      static_cast<int64_t>(llvm::alignTo(shape.back() + (shape.back() % line == 0), line));
  Value longer = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  TensorSlice box(b, SmallVector<int64_t>(shape.size(), 0), type.getShape());
  return insert(b, loc, a, longer, box);
}

struct AlignPackedRowsPass : impl::AlignPackedRowsPassBase<AlignPackedRowsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    llvm::MapVector<Value, SmallVector<ContractionOpInterface>> readers;
    getOperation().walk([&](ContractionOpInterface op) {
      if (paysToAlign(op, target))
        readers[op.getA()].push_back(op);
    });
    OpBuilder b(&getContext());
    for (auto &[a, ops] : readers) {
      b.setInsertionPointAfterValue(a);
      Location loc = withPurpose(b.getFusedLoc({ops.front().getLoc(), a.getLoc()}), "align");
      Value longer = inLongerRows(b, loc, a);
      for (ContractionOpInterface op : ops) { // which part of the rows counts, the operation says
        op->setAttr("reduction_sizes", b.getDenseI64ArrayAttr({op.getK()}));
        op->setOperand(0, longer);
      }
    }
  }
};

} // namespace
} // namespace kgen
