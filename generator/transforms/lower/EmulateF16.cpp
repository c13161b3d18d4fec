// Emulation of f16 as i16 on targets without F16C: the same bits as its instructions give, and no
// calls into a compiler's library.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/RefusalListener.h"
#include "math/F16Conversion.h"
#include "transforms/lower/EmulateNarrowFloats.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
namespace {

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF16() || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not from f16 to f32");
    Type i16 = withElements(op.getType(), rewriter.getI16Type()),
         i32 = withElements(op.getType(), rewriter.getI32Type());
    vecmath::Emitter emitter{rewriter, op.getLoc(), op.getType()};
    Value bits = arith::BitcastOp::create(rewriter, op.getLoc(), i16, op.getIn());
    Value bits32 = arith::ExtUIOp::create(rewriter, op.getLoc(), i32, bits);
    rewriter.replaceOp(op, vecmath::f32FromF16({emitter, bits32}, emitter).value());
    return success();
  }
};

struct ExpandRounding : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() || !getElementTypeOrSelf(op.getType()).isF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to f16");
    Type i16 = withElements(op.getType(), rewriter.getI16Type());
    vecmath::Emitter emitter{rewriter, op.getLoc(), op.getIn().getType()};
    Value bits32 = vecmath::f16FromF32({emitter, op.getIn()}, emitter).value();
    Value bits = arith::TruncIOp::create(rewriter, op.getLoc(), i16, bits32);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// LLVM moves a rounding to f16 ahead of floor, ceil, roundeven and trunc, and then scalarizes
/// these for f16. It does not move it ahead of a copysign, which here copies the sign that is
/// there.
void keepIntegralRoundingsInF32(ModuleOp module) {
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

} // namespace

LogicalResult emulateF16(ModuleOp module) {
  auto f16 = Float16Type::get(module.getContext());
  dropDefaultRounding(module, f16);
  TargetAttr target = targetOf(module);
  if (target && target.cpu().hasF16Conversion) {
    keepIntegralRoundingsInF32(module);
    return success();
  }
  convertByF32(module, f16);
  RewritePatternSet patterns(module.getContext());
  patterns.add<ExpandExtension, ExpandRounding>(module.getContext());
  walkAndApplyPatterns(module, std::move(patterns), refusalListener());
  return storeAsIntegers(module, f16);
}

} // namespace kgen
