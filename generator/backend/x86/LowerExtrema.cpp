// Minima and maxima that propagate NaN take six instructions in LLVM, and three with vrange of
// AVX-512, which orders zeros.
#include "backend/x86/Passes.h"

#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen::x86 {
namespace {

/// True for constants: LLVM does better if it knows that an operand is neither NaN nor zero.
bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_Constant());
}

template <typename Op> struct MaximumToRange : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    Type element = getElementTypeOrSelf(op.getType());
    if (!type || type.getRank() != 1 || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "no vector of f32 or f64");
    int64_t lanes = type.getNumElements(), bits = lanes * type.getElementTypeBitWidth();
    if (!llvm::is_contained({128, 256, 512}, bits))
      return rewriter.notifyMatchFailure(op, "no full register");
    if (isConstant(op.getLhs()) || isConstant(op.getRhs()) ||
        op.getFastmath() != arith::FastMathFlags::none)
      return rewriter.notifyMatchFailure(op, "LLVM uses one instruction");
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    auto number = [&](int64_t width, int64_t value) -> Value {
      return arith::ConstantIntOp::create(rewriter, loc, rewriter.getIntegerType(width), value);
    };
    // Immediates of vrangeps: the result has its own sign.
    constexpr int64_t minimum = 0b0100, maximum = 0b0101, currentRounding = 4;
    constexpr bool isMax = std::is_same_v<Op, arith::MaximumFOp>;
    SmallVector<Value> operands{x, y, number(32, isMax ? maximum : minimum), x,
                                number(std::max<int64_t>(lanes, 8), -1)};
    if (bits == 512)
      operands.push_back(number(32, currentRounding));
    std::string suffix = (element.isF32() ? "ps." : "pd.") + std::to_string(bits);
    Value numbers =
        intrinsic(rewriter, loc, type, "llvm.x86.avx512.mask.range." + suffix, operands);
    // vrangeps returns the other operand for NaN.
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, y);
    Value nan = arith::AddFOp::create(rewriter, loc, x, y);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, numbers);
    return success();
  }
};

} // namespace

void populateExtremumPatterns(RewritePatternSet &patterns, TargetAttr target) {
  if (target && hasFeature(target, "avx512dq") && hasFeature(target, "avx512vl"))
    patterns.add<MaximumToRange<arith::MaximumFOp>, MaximumToRange<arith::MinimumFOp>>(
        patterns.getContext());
}

} // namespace kgen::x86
