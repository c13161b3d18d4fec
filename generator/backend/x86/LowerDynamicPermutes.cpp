// Lowers kgen.dynamic_permute to vpermps, vpermt2ps and vpermw.
#include "backend/x86/Passes.h"

using namespace mlir;

namespace kgen::x86 {
namespace {

struct LowerDynamicPermute : OpRewritePattern<DynamicPermuteOp> {
  LowerDynamicPermute(MLIRContext *context, bool hasTwoSources)
      : OpRewritePattern(context), hasTwoSources(hasTwoSources) {}

  LogicalResult matchAndRewrite(DynamicPermuteOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getType();
    int64_t lanes = type.getNumElements();
    Value from = op.getFrom(), indices = op.getIndices();
    auto call = [&](StringRef name, ValueRange operands) {
      return intrinsic(rewriter, loc, type, name, operands);
    };
    if (type.getElementType().isInteger(16)) {
      rewriter.replaceOp(op, call("llvm.x86.avx512.permvar.hi.512", {from, indices}));
      return success();
    }
    bool is512Bits = lanes == 16;
    StringRef permuteOne = is512Bits ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps",
              permuteTwo = is512Bits ? "llvm.x86.avx512.vpermi2var.ps.512"
                                     : "llvm.x86.avx512.vpermi2var.ps.256";
    if (op.getFrom().getType() == type) {
      rewriter.replaceOp(op, call(permuteOne, {from, indices}));
      return success();
    }
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(rewriter, loc, from, first, lanes, int64_t(1));
    };
    Value lower = half(0), upper = half(lanes);
    if (hasTwoSources) {
      rewriter.replaceOp(op, call(permuteTwo, {lower, indices, upper}));
      return success();
    }
    Value lastOfLower = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(cast<VectorType>(indices.getType()),
                               rewriter.getI32IntegerAttr(static_cast<int32_t>(lanes - 1))));
    Value isUpper =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt, indices, lastOfLower);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isUpper, call(permuteOne, {upper, indices}),
                                                 call(permuteOne, {lower, indices}));
    return success();
  }

  bool hasTwoSources; ///< the target has permutes of two source registers
};

} // namespace

void populateDynamicPermutePatterns(RewritePatternSet &patterns, TargetAttr target) {
  patterns.add<LowerDynamicPermute>(patterns.getContext(),
                                    target && hasFeature(target, "avx512vl"));
}

} // namespace kgen::x86
