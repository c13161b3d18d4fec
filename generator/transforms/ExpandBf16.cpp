// bf16 as integers of 16 bits: the same bits on every CPU, and no calls into a compiler's library.
#include "transforms/NarrowFloats.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDBF16PASS
#include "transforms/Passes.h.inc"

namespace {

bool isBf16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

/// An integer's conversion to bf16 as one to f32 and a rounding: the canonicalizer makes one of
/// two.
template <typename Op> struct ConvertByF32 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), f32 = rewriter.getF32Type();
    if (!isBf16(type))
      return failure();
    Type wide = isa<VectorType>(type) ? cast<VectorType>(type).clone(f32) : f32;
    Value real = Op::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, real);
    return success();
  }
};

/// Rounding to nearest is what upstream's patterns do, but not where it is spelled out.
void dropDefaultRounding(arith::TruncFOp op) {
  if (isBf16(op.getType()) && op.getRoundingmode() == arith::RoundingMode::to_nearest_even)
    op.removeRoundingmodeAttr();
}

struct ExpandBf16Pass : impl::ExpandBf16PassBase<ExpandBf16Pass> {
  void runOnOperation() override {
    getOperation().walk(dropDefaultRounding);
    RewritePatternSet conversions(&getContext());
    conversions.add<ConvertByF32<arith::SIToFPOp>, ConvertByF32<arith::UIToFPOp>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(conversions));
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(storeAsIntegers(getOperation(), BFloat16Type::get(&getContext()))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
