// Pairs and fours of the reduction next to each other, as dot-product instructions read them.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_VNNIPACKPASS
#include "transforms/Passes.h.inc"

namespace {

/// How many elements of `type` one step of the target's dot-product instruction adds up; 1 if it
/// has none.
int64_t instructionFactor(TargetAttr target, Type type) {
  SmallVector<StringRef> features;
  target.getFeatures().split(features, ',');
  auto hasAny = [&](std::initializer_list<StringRef> names) {
    return llvm::any_of(names, [&](StringRef name) { return llvm::is_contained(features, name); });
  };
  if (type.isBF16() && hasAny({"+avx512bf16", "+amx-bf16"}))
    return 2;
  if (type.isInteger(8) && hasAny({"+avx512vnni", "+avxvnni", "+amx-int8"}))
    return 4;
  return 1;
}

/// The loop to be split: the reduction that is next to the columns of B. None if it has been split.
std::optional<unsigned> loopToSplit(linalg::LinalgOp op) {
  AffineMap a = op.getIndexingMapsArray()[0], b = op.getIndexingMapsArray()[1];
  auto roles = linalg::inferContractionDims(op);
  if (failed(roles) || a.getNumResults() == 0 || b.getNumResults() == 0)
    return std::nullopt;
  auto last = [](AffineMap map) {
    return cast<AffineDimExpr>(map.getResults().back()).getPosition();
  };
  bool isSplit = roles->k.size() > 1 && llvm::is_contained(roles->k, last(b));
  if (isSplit || roles->n.empty())
    return std::nullopt;
  return llvm::is_contained(roles->k, last(a)) ? last(a) : roles->k.back();
}

/// `value` with dimension `dim` in groups of `factor`, which become the last dimension; zeros fill
/// the last group.
Value packGroups(RewriterBase &rewriter, Location loc, Value value, int64_t dim, int64_t factor) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  std::optional<Value> padding;
  if (shape[dim] % factor)
    padding = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  shape[dim] = llvm::divideCeil(shape[dim], factor);
  shape.push_back(factor);
  Value empty = tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
  return linalg::PackOp::create(rewriter, loc, value, empty, dim,
                                OpFoldResult(rewriter.getIndexAttr(factor)), padding)
      .getResult();
}

struct VnniPackPass : impl::VnniPackPassBase<VnniPackPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : contractions) {
      Type a = getElementTypeOrSelf(op.getDpsInputs()[0]),
           b = getElementTypeOrSelf(op.getDpsInputs()[1]);
      int64_t factor = a == b ? instructionFactor(target, b) : 1;
      std::optional<unsigned> loop = loopToSplit(op);
      if (factor == 1 || !loop)
        continue;
      splitReduction(rewriter, asGeneric(rewriter, op), *loop, Inner::last,
                     [&](Value value, int64_t dim) {
                       return packGroups(rewriter, value.getLoc(), value, dim, factor);
                     });
    }
  }
};

} // namespace
} // namespace kgen
