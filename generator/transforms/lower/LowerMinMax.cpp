// Lowers minima and maxima of floats. Those that propagate NaN take six instructions in LLVM, and
// three with vrangeps of AVX-512, which orders zeros. Those that ignore NaN take one if an operand
// is known not to be NaN.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

using namespace mlir;

namespace {

/// True for constants: LLVM does better if it knows that an operand is neither NaN nor zero.
bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_Constant());
}

/// True if `op` is a minimum or maximum that ignores NaN, or its lowered form (MaxNumToSelect), and
/// `isNumber` holds for an operand: the result is not NaN.
bool isNumberIf(Operation *op, llvm::function_ref<bool(Value)> isNumber) {
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return llvm::any_of(op->getOperands(), isNumber);
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  return compare &&
         (compare.getPredicate() == arith::CmpFPredicate::OGT ||
          compare.getPredicate() == arith::CmpFPredicate::OLT) &&
         compare.getLhs() == select.getTrueValue() && compare.getRhs() == select.getFalseValue() &&
         isNumber(select.getFalseValue());
}

/// True if `value` is never NaN: a constant, or a minimum or maximum that ignores NaN with such an
/// operand. A loop-carried value needs a start that is not NaN and such an update.
bool isNumber(Value value, int depth = 0) {
  constexpr int maxDepth = 64; // bounds the recursion
  if (depth > maxDepth)
    return false;
  auto isAlso = [&](Value other) { return isNumber(other, depth + 1); };
  if (auto carried = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(carried) : nullptr;
    Operation *next = init ? loop.getTiedLoopYieldedValue(carried)->get().getDefiningOp() : nullptr;
    return next && isAlso(init->get()) && isNumberIf(next, [&](Value v) { return v == carried; });
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return !number.getValue().isNaN();
    auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    return numbers && numbers.isSplat() && !numbers.getSplatValue<APFloat>().isNaN();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isAlso(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
  bool moves = isa<vector::ShuffleOp, vector::ExtractOp, vector::BroadcastOp>(op);
  return isNumberIf(op, isAlso) || (moves && llvm::all_of(op->getOperands(), isAlso));
}

/// If one operand is not NaN, a minimum or maximum that ignores NaN is an ordered comparison and a
/// selection, one instruction: a comparison with NaN is false and selects the number.
template <typename Op> struct MaxNumToSelect : OpRewritePattern<Op> {
  MaxNumToSelect(MLIRContext *context, arith::CmpFPredicate predicate)
      : OpRewritePattern<Op>(context), predicate(predicate) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value number = op.getLhs(), other = op.getRhs();
    if (!isNumber(number))
      std::swap(number, other);
    if (!getElementTypeOrSelf(number.getType()).isF32() || !isNumber(number))
      return rewriter.notifyMatchFailure(op, "both operands may be NaN");
    Value isSelected = arith::CmpFOp::create(rewriter, op.getLoc(), predicate, other, number);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isSelected, other, number);
    return success();
  }

  arith::CmpFPredicate predicate;
};

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
    auto name = rewriter.getStringAttr("llvm.x86.avx512.mask.range." +
                                       Twine(element.isF32() ? "ps." : "pd.") + Twine(bits));
    Value numbers = LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands).getResult(0);
    // vrangeps returns the other operand for NaN.
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, y);
    Value nan = arith::AddFOp::create(rewriter, loc, x, y);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, numbers);
    return success();
  }
};

} // namespace

void populateMinMaxPatterns(RewritePatternSet &patterns, TargetAttr target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MaxNumToSelect<arith::MaxNumFOp>>(context, arith::CmpFPredicate::OGT);
  patterns.add<MaxNumToSelect<arith::MinNumFOp>>(context, arith::CmpFPredicate::OLT);
  if (target && target.hasFeature("avx512dq") && target.hasFeature("avx512vl"))
    patterns.add<MaximumToRange<arith::MaximumFOp>, MaximumToRange<arith::MinimumFOp>>(context);
}

} // namespace kgen
