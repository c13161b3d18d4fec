// A of bf16 and f16 as f32, once for all panels of B that it is multiplied with.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"
#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_UPCONVERTOPERANDSPASS
#include "transforms/Passes.h.inc"

namespace {

using tpp::ContractionOpInterface;

/// Whether rows of B are vectors of columns; otherwise the contraction may become dot products.
bool hasRowsOfB(ContractionOpInterface op) {
  AffineMap map = op.getBMap();
  unsigned n = op.getCType().getRank() - 1;
  return op.getPanel() || (map.getNumResults() > 0 && map.isFunctionOfDim(n) &&
                           map.getDimPosition(map.getNumResults() - 1) == n);
}

/// Whether it takes fewer cycles to widen A outside of the kernels.
bool isUpconversionProfitable(ContractionOpInterface op, TargetAttr target) {
  Type a = op.getAType(), b = op.getBValueType();
  if (!isa<RankedTensorType>(op.getA().getType()) || !(a.isBF16() || a.isF16()) ||
      op.getF16Accumulate() || target.productForm(a, b) != ProductForm::widen || !hasRowsOfB(op))
    return false;
  GemmBlocking blocking = tpp::blockingOf(op, target);
  double panels = llvm::divideCeil(op.getN(), blocking.nr);
  double cost = target.cost(a.isF16() ? "convert_f16" : "widen_bf16");
  double elements = cast<RankedTensorType>(op.getA().getType()).getNumElements();
  constexpr double loadAndStore = 1, loop = 64;
  return elements * (panels * cost - (cost + loadAndStore) / target.lanes(accumulatorOf(a))) > loop;
}

bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Widens one tensor for the contractions that read it as A.
class Widening {
public:
  Widening(Value narrow, ArrayRef<OpOperand *> uses)
      : uses(uses), rewriter(narrow.getContext()), source(narrow) {
    // Reshapes stay behind the widening, which can then become part of what computes the tensor.
    while (isReshape(source.getDefiningOp()) &&
           (source == narrow ? isOnlyReadAsA() : source.hasOneUse())) {
      reshapes.push_back(source.getDefiningOp());
      source = reshapes.back()->getOperand(0);
    }
  }

  void run() {
    linalg::GenericOp generic = widen();
    Value wide = generic.getResult(0);
    for (Operation *reshape : llvm::reverse(reshapes)) {
      rewriter.setInsertionPoint(reshape);
      Operation *clone = rewriter.clone(*reshape);
      clone->setOperand(0, wide);
      clone->getResult(0).setType(inF32(reshape->getResult(0)));
      wide = clone->getResult(0);
    }
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(wide); });
    for (Operation *reshape : reshapes)
      rewriter.eraseOp(reshape);
    fuse(generic);
  }

private:
  bool isOnlyReadAsA() {
    return llvm::all_of(source.getUses(),
                        [&](OpOperand &use) { return llvm::is_contained(uses, &use); });
  }

  RankedTensorType inF32(Value value) {
    return cast<RankedTensorType>(value.getType()).clone(rewriter.getF32Type());
  }

  linalg::GenericOp widen() {
    rewriter.setInsertionPointAfterValue(source);
    Location loc = withPurpose(source.getLoc(), "up-convert");
    RankedTensorType type = inF32(source);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(
        rewriter, loc, type, source, empty, maps, loops,
        [&](OpBuilder &b, Location at, ValueRange scalars) {
          linalg::YieldOp::create(
              b, at, arith::ExtFOp::create(b, at, type.getElementType(), scalars[0]).getResult());
        });
  }

  /// Makes the widening a part of what computes the tensor, if nothing else reads it.
  void fuse(linalg::GenericOp generic) {
    Operation *producer = source.getDefiningOp();
    if (!producer || !source.hasOneUse())
      return;
    if (fusibleContraction(generic)) {
      generic->setLoc(producer->getLoc());
      fuseIntoEpilogue(generic, fusibleContraction(generic));
      return;
    }
    OpOperand &input = generic->getOpOperand(0);
    if (producer->getBlock() != generic->getBlock() || !linalg::areElementwiseOpsFusable(&input))
      return;
    rewriter.setInsertionPoint(generic);
    auto fused = linalg::fuseElementwiseOps(rewriter, &input);
    if (failed(fused))
      return;
    fused->fusedOp->setLoc(producer->getLoc());
    rewriter.replaceOp(generic, fused->replacements.lookup(generic.getResult(0)));
    rewriter.eraseOp(producer);
  }

  ArrayRef<OpOperand *> uses;
  IRRewriter rewriter;
  Value source;
  SmallVector<Operation *> reshapes; ///< from `source` to the operand, the last one first
};

struct UpconvertOperandsPass : impl::UpconvertOperandsPassBase<UpconvertOperandsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    llvm::MapVector<Value, SmallVector<OpOperand *>> tensors;
    getOperation().walk([&](ContractionOpInterface op) {
      if (isUpconversionProfitable(op, target))
        tensors[op.getA()].push_back(&op->getOpOperand(0));
    });
    for (auto &[narrow, uses] : tensors)
      Widening(narrow, uses).run();
  }
};

} // namespace
} // namespace kgen
