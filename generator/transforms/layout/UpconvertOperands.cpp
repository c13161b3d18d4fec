// Up-converts A of bf16 and f16 to f32 once for all panels of B.
#include "analysis/SizeBounds.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/fusion/TppGenerics.h"
#include "transforms/layout/OperandLayouts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using tpp::ContractionOpInterface;

/// True if B is packed or contiguous along n. Otherwise the contraction may become dot products.
bool isContiguousAlongN(ContractionOpInterface op) {
  AffineMap map = op.getBMap();
  unsigned n = op.getCType().getRank() - 1;
  return op.getPanel() || (map.getNumResults() > 0 && map.isFunctionOfDim(n) &&
                           map.getDimPosition(map.getNumResults() - 1) == n);
}

/// True if the micro-kernel would up-convert A, and A can be up-converted outside.
bool isCandidate(ContractionOpInterface op, TargetAttr target) {
  Type a = op.getAType(), b = op.getBValueType();
  return isa<RankedTensorType>(op.getA().getType()) && (a.isBF16() || a.isF16()) &&
         !op.getF16Accumulate() && target.productForm(a, b) == ProductForm::upconvert &&
         isContiguousAlongN(op);
}

/// True if a candidate takes fewer cycles with A up-converted outside of the micro-kernel.
bool isUpconversionProfitable(ContractionOpInterface op, TargetAttr target) {
  Type a = op.getAType();
  GemmBlocking blocking = tpp::blockingOf(op, target, greatestRowsOf(op));
  double panels = llvm::divideCeil(op.getN(), blocking.nr);
  double cost = target.cost(a.isF16() ? "convert_f16" : "widen_bf16");
  double elements = greatestBytesOf(op.getA()) / bytesOfElement(a);
  constexpr double loadAndStore = 1; // cycles of a vector
  return elements * (panels * cost - (cost + loadAndStore) / target.lanes(accumulatorOf(a))) >
         target.tradeoffs().loopStartCycles;
}

bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

/// Up-converts one tensor for the contractions that read it as A.
class Upconversion {
public:
  Upconversion(Value narrow, ArrayRef<OpOperand *> uses)
      : uses(uses), rewriter(narrow.getContext()), source(narrow) {
    // The conversion goes in front of reshapes, so that it can be fused with the producer.
    while (isReshape(source.getDefiningOp()) &&
           (source == narrow ? isOnlyReadAsA() : source.hasOneUse())) {
      reshapes.push_back(source.getDefiningOp());
      source = reshapes.back()->getOperand(0);
    }
  }

  /// Returns what is up-converted: the tensor in front of its reshapes.
  Value tensor() const { return source; }

  void run() {
    linalg::GenericOp generic = convert();
    Value converted = generic.getResult(0);
    for (Operation *reshape : llvm::reverse(reshapes)) {
      rewriter.setInsertionPoint(reshape);
      Operation *clone = rewriter.clone(*reshape);
      clone->setOperand(0, converted);
      clone->getResult(0).setType(inF32(reshape->getResult(0)));
      converted = clone->getResult(0);
    }
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(converted); });
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

  linalg::GenericOp convert() {
    rewriter.setInsertionPointAfterValue(source);
    Location loc = withPurpose(source.getLoc(), "up-convert");
    RankedTensorType type = inF32(source);
    Value empty = emptyLike(rewriter, loc, source, type.getElementType());
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(
        rewriter, loc, type, source, empty, maps, loops,
        [&](OpBuilder &b, Location where, ValueRange scalars) {
          linalg::YieldOp::create(
              b, where,
              arith::ExtFOp::create(b, where, type.getElementType(), scalars[0]).getResult());
        });
  }

  /// Fuses the conversion with the operation that computes the tensor, if nothing else reads that.
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

} // namespace

LayoutCounts assignTypeOfA(func::FuncOp func, TargetAttr target, DecisionLog &log) {
  LayoutCounts counts;
  llvm::MapVector<Value, SmallVector<OpOperand *>> tensors;
  func.walk([&](ContractionOpInterface op) {
    if (!isCandidate(op, target))
      return;
    if (isUpconversionProfitable(op, target)) {
      tensors[op.getA()].push_back(&op->getOpOperand(0));
      log.add("applied", op.getLoc(),
              log.details().set("what", "A is up-converted once, outside of the micro-kernel"));
      return;
    }
    ++counts.refused;
    log.add("refused", op.getLoc(),
            log.details().set("why", "too few panels of B to pay for up-converting A outside"));
  });
  RepeatedWork repeated(log);
  for (auto &[narrow, uses] : tensors) {
    ++counts.done;
    Upconversion conversion(narrow, uses);
    repeated.add(conversion.tensor(), uses.front()->getOwner()->getLoc(), "widened", "",
                 greatestBytesOf(narrow));
    conversion.run();
  }
  return counts;
}

} // namespace kgen
