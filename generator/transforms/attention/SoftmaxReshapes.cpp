#include "transforms/attention/SoftmaxReshapes.h"

#include "dialect/kgen/NamedOps.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using MayMove = std::function<bool(OpOperand *)>;

/// softmax(collapse(x)) becomes collapse(softmax(x)).
struct CollapseAfterSoftmax : OpRewritePattern<SoftmaxOp> {
  CollapseAfterSoftmax(MLIRContext *context, const MayMove &mayMove)
      : OpRewritePattern(context), mayMove(mayMove) {}

  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &b) const override {
    auto collapse = op.getInput().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !mayMove(&op.getInputMutable()))
      return failure();
    SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
    SmallVector<int64_t> dimensions;
    for (int64_t d : op.getDimensions())
      dimensions.push_back(groups[d].front());
    auto type = op.getResultType().clone(collapse.getSrcType().getShape());
    auto made = withOperand(b, op, type, collapse.getSrc(), dimensions);
    b.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, op.getType(), made, groups);
    return success();
  }

  /// A softmax of another tensor with the attributes of `op`.
  static Value withOperand(PatternRewriter &b, SoftmaxOp op, Type type, Value input,
                           ArrayRef<int64_t> dimensions) {
    auto made = SoftmaxOp::create(b, op.getLoc(), type, input, dimensions, op.getLogarithm(),
                                  op.getMaskedToZero(), op.getRoundedQuotient());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return made;
  }

private:
  MayMove mayMove;
};

/// expand(softmax(x)) becomes softmax(expand(x)).
struct ExpandBeforeSoftmax : OpRewritePattern<tensor::ExpandShapeOp> {
  ExpandBeforeSoftmax(MLIRContext *context, const MayMove &mayMove)
      : OpRewritePattern(context), mayMove(mayMove) {}

  LogicalResult matchAndRewrite(tensor::ExpandShapeOp expand, PatternRewriter &b) const override {
    auto op = expand.getSrc().getDefiningOp<SoftmaxOp>();
    if (!op || !op->hasOneUse() || !mayMove(&expand.getSrcMutable()))
      return failure();
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    SmallVector<int64_t> dimensions;
    for (int64_t d : op.getDimensions())
      dimensions.push_back(groups[d].front());
    auto type = op.getInputType().clone(expand.getResultType().getShape());
    Value input = tensor::ExpandShapeOp::create(b, expand.getLoc(), type, op.getInput(), groups,
                                                expand.getMixedOutputShape());
    b.replaceOp(expand,
                CollapseAfterSoftmax::withOperand(b, op, expand.getType(), input, dimensions));
    return success();
  }

private:
  MayMove mayMove;
};

} // namespace

void populateSoftmaxReshapePatterns(RewritePatternSet &patterns, const MayMove &mayMove) {
  patterns.add<CollapseAfterSoftmax, ExpandBeforeSoftmax>(patterns.getContext(), mayMove);
}

} // namespace kgen
