// f16 as integers of 16 bits where the CPU has no instruction that converts it: the same bits as
// with one, and no calls into a compiler's library.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"
#include "transforms/lower/EmulateNarrowFloats.h"
#include "transforms/math/F16Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDF16PASS
#include "transforms/Passes.h.inc"

namespace {

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from f16 to f32");
    Type i16 = withElements(op.getType(), rewriter.getI16Type()),
         i32 = withElements(op.getType(), rewriter.getI32Type());
    vecmath::Site site{rewriter, op.getLoc(), op.getType()};
    Value half = arith::BitcastOp::create(rewriter, op.getLoc(), i16, op.getIn());
    Value wide = arith::ExtUIOp::create(rewriter, op.getLoc(), i32, half);
    rewriter.replaceOp(op, vecmath::f32FromF16({site, wide}, site).value());
    return success();
  }
};

struct ExpandRounding : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() || !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    Type i16 = withElements(op.getType(), rewriter.getI16Type());
    vecmath::Site site{rewriter, op.getLoc(), op.getIn().getType()};
    Value wide = vecmath::f16FromF32({site, op.getIn()}, site).value();
    Value half = arith::TruncIOp::create(rewriter, op.getLoc(), i16, wide);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), half);
    return success();
  }
};

/// LLVM moves a conversion to f16 in front of whole numbers' making, and then calls that for each
/// element. A copied sign, which is there already, is not moved.
void keepWholeNumbersWide(ModuleOp module) {
  module.walk([](arith::TruncFOp op) {
    Operation *source = op.getIn().getDefiningOp();
    if (!getElementTypeOrSelf(op.getType()).isF16() ||
        !isa_and_nonnull<math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp>(source))
      return;
    OpBuilder b(op);
    op.getInMutable().set(
        math::CopySignOp::create(b, op.getLoc(), op.getIn(), source->getOperand(0)));
  });
}

struct ExpandF16Pass : impl::ExpandF16PassBase<ExpandF16Pass> {
  void runOnOperation() override {
    auto f16 = Float16Type::get(&getContext());
    dropDefaultRounding(getOperation(), f16);
    TargetAttr target = targetOf(getOperation());
    if (target && target.hasFeature("f16c"))
      return keepWholeNumbersWide(getOperation());
    convertByF32(getOperation(), f16);
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtension, ExpandRounding>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(storeAsIntegers(getOperation(), f16)))
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
