// The larger and the smaller of two floats, lane by lane, by an instruction of AVX-512 that orders
// zeros: LLVM makes six instructions of one maximum.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

using namespace mlir;

namespace {

/// LLVM does better where it knows that an operand is neither NaN nor a zero.
bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_Constant());
}

template <typename Op> struct ExpandExtremum : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    Type element = getElementTypeOrSelf(op.getType());
    if (!type || type.getRank() != 1 || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "no vector of f32 or f64");
    int64_t lanes = type.getNumElements(), bits = lanes * type.getElementTypeBitWidth();
    if (!llvm::is_contained({128, 256, 512}, bits))
      return rewriter.notifyMatchFailure(op, "no whole register");
    if (isConstant(op.getLhs()) || isConstant(op.getRhs()) ||
        op.getFastmath() != arith::FastMathFlags::none)
      return rewriter.notifyMatchFailure(op, "one instruction will do");
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    auto number = [&](int64_t width, int64_t value) -> Value {
      return arith::ConstantIntOp::create(rewriter, loc, rewriter.getIntegerType(width), value);
    };
    // The sign is that of the result of the comparison.
    constexpr int64_t smaller = 0b0100, larger = 0b0101, currentRounding = 4;
    constexpr bool isMax = std::is_same_v<Op, arith::MaximumFOp>;
    SmallVector<Value> operands{x, y, number(32, isMax ? larger : smaller), x,
                                number(std::max<int64_t>(lanes, 8), -1)};
    if (bits == 512)
      operands.push_back(number(32, currentRounding));
    auto name = rewriter.getStringAttr("llvm.x86.avx512.mask.range." +
                                       Twine(element.isF32() ? "ps." : "pd.") + Twine(bits));
    Value numbers =
        LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands).getResult(0);
    // It takes the other one for NaN.
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, y);
    Value nan = arith::AddFOp::create(rewriter, loc, x, y);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, numbers);
    return success();
  }
};

} // namespace

void populateExtremumPatterns(RewritePatternSet &patterns, TargetAttr target) {
  if (target && target.hasFeature("avx512dq") && target.hasFeature("avx512vl"))
    patterns.add<ExpandExtremum<arith::MaximumFOp>, ExpandExtremum<arith::MinimumFOp>>(
        patterns.getContext());
}

} // namespace kgen
