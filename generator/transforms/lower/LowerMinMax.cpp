// The larger and the smaller of two floats, lane by lane. Where a NaN counts, LLVM makes six
// instructions of one: AVX-512 has one that orders zeros. Where it is ignored, one instruction will
// do if an operand is known to be a number.
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

/// LLVM does better where it knows that an operand is neither NaN nor a zero.
bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_Constant());
}

/// Whether an extremum that ignores NaNs, or what became of it below, is a number because an
/// operand is one.
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

/// Whether a value is a number wherever it is used: a constant, or an extremum that ignores NaNs,
/// one of whose operands is. Of a loop, it is one from the begin to the end.
bool isNumber(Value value, int depth = 0) {
  constexpr int most = 64;
  if (depth > most)
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

/// An extremum that ignores NaNs takes one instruction where one of its operands is none: of an
/// ordered comparison with a NaN, that one is chosen.
template <typename Op> struct ExpandNumExtremum : OpRewritePattern<Op> {
  ExpandNumExtremum(MLIRContext *context, arith::CmpFPredicate predicate)
      : OpRewritePattern<Op>(context), predicate(predicate) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value number = op.getLhs(), other = op.getRhs();
    if (!isNumber(number))
      std::swap(number, other);
    if (!getElementTypeOrSelf(number.getType()).isF32() || !isNumber(number))
      return rewriter.notifyMatchFailure(op, "both operands may be NaN");
    Value isOutsideOfPanel = arith::CmpFOp::create(rewriter, op.getLoc(), predicate, other, number);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOutsideOfPanel, other, number);
    return success();
  }

  arith::CmpFPredicate predicate;
};

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
    Value numbers = LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands).getResult(0);
    // It takes the other one for NaN.
    Value isNaN = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, y);
    Value nan = arith::AddFOp::create(rewriter, loc, x, y);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNaN, nan, numbers);
    return success();
  }
};

} // namespace

void populateExtremumPatterns(RewritePatternSet &patterns, TargetAttr target) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandNumExtremum<arith::MaxNumFOp>>(context, arith::CmpFPredicate::OGT);
  patterns.add<ExpandNumExtremum<arith::MinNumFOp>>(context, arith::CmpFPredicate::OLT);
  if (target && target.hasFeature("avx512dq") && target.hasFeature("avx512vl"))
    patterns.add<ExpandExtremum<arith::MaximumFOp>, ExpandExtremum<arith::MinimumFOp>>(context);
}

} // namespace kgen
