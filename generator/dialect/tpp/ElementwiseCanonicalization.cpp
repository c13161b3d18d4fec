// Simplifications of elementwise tile operations that are always right.
#include "dialect/tpp/Tpp.h"

#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen::tpp {
namespace {

/// All maps are the identity, which is the default.
struct DropIdentityMaps : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMaps() || !llvm::all_of(op.getMaps()->getAsValueRange<AffineMapAttr>(),
                                       [](AffineMap map) { return map.isIdentity(); }))
      return rewriter.notifyMatchFailure(op, "an input is broadcast or transposed");
    rewriter.modifyOpInPlace(op, [&] { op->removeAttr("maps"); });
    return success();
  }
};

/// Fold a broadcast or copy of the same type into the map of its reader.
struct ReadThroughIdentity : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op,
                                PatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs;
    for (unsigned number = 0; number < op.getArity(); ++number) {
      maps.push_back(op.getInputMap(number));
      inputs.push_back(op.getInputs()[number]);
      auto identity = inputs.back().getDefiningOp<IdentityOp>();
      if (!identity || getElementTypeOrSelf(identity.getInputs()[0].getType()) !=
                           getElementTypeOrSelf(inputs.back().getType()))
        continue;
      maps.back() = identity.getOperandMap(0).compose(maps.back());
      inputs.back() = identity.getInputs()[0];
    }
    if (llvm::equal(inputs, op.getInputs()))
      return rewriter.notifyMatchFailure(op, "no input is a copy");
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperands(0, op.getArity(), inputs);
      op->setAttr("maps", rewriter.getAffineMapArrayAttr(maps));
    });
    return success();
  }
};

/// Remove copies without conversion: of tensors, and of a buffer to itself.
struct DropCopy : OpRewritePattern<IdentityOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(IdentityOp op, PatternRewriter &rewriter) const override {
    Value input = op.getInputs()[0];
    if (!op.getOperandMap(0).isIdentity() || input.getType() != op.getInit().getType())
      return rewriter.notifyMatchFailure(op, "converts or broadcasts");
    if (op->getNumResults() == 1)
      rewriter.replaceOp(op, input);
    else if (input == op.getInit())
      rewriter.eraseOp(op);
    else
      return rewriter.notifyMatchFailure(op, "copies to another buffer");
    return success();
  }
};

/// relu(relu(x)) = relu(x), abs(abs(x)) = abs(x).
template <typename Op> struct DropRepetition : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto first = op.getInputs()[0].template getDefiningOp<Op>();
    if (!first || !op.getOperandMap(0).isIdentity() ||
        first.getInit().getType() != op.getInit().getType())
      return rewriter.notifyMatchFailure(op, "not applied twice");
    rewriter.replaceOp(op, first->getResults());
    return success();
  }
};

/// neg(neg(x)) = x.
struct DropDoubleNegation : OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NegOp op, PatternRewriter &rewriter) const override {
    auto first = op.getInputs()[0].getDefiningOp<NegOp>();
    Type type = op.getInit().getType();
    if (!first || !op.getOperandMap(0).isIdentity() || !first.getOperandMap(0).isIdentity() ||
        first.getInit().getType() != type || first.getInputs()[0].getType() != type)
      return rewriter.notifyMatchFailure(op, "not negated twice");
    rewriter.replaceOp(op, first.getInputs()[0]);
    return success();
  }
};

template <typename Op> void addPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  if constexpr (std::is_same_v<Op, IdentityOp>)
    patterns.add<DropCopy>(context);
  if constexpr (std::is_same_v<Op, ReluOp> || std::is_same_v<Op, AbsOp>)
    patterns.add<DropRepetition<Op>>(context);
  if constexpr (std::is_same_v<Op, NegOp>)
    patterns.add<DropDoubleNegation>(context);
}

} // namespace

#define ELEMENTWISE(Op)                                                                            \
  void Op::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {               \
    addPatterns<Op>(patterns);                                                                     \
  }
#include "dialect/tpp/ElementwiseOps.def"

void TppDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropIdentityMaps, ReadThroughIdentity>(getContext());
}

} // namespace kgen::tpp
