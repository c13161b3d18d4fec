// Lowers minima and maxima of floats that ignore NaN. They take one instruction if an operand is
// known not to be NaN.
#include "dialect/kgen/Kgen.h"
#include "transforms/lower/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

using namespace mlir;

namespace {

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

/// True for a number of f16 in f32.
bool isOfF16(Value value) {
  auto extension = value.getDefiningOp<arith::ExtFOp>();
  return extension && getElementTypeOrSelf(extension.getIn()).isF16();
}

/// True if the result is rounded to f16.
bool becomesF16(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp>(user) && getElementTypeOrSelf(user->getResult(0)).isF16();
  });
}

/// Of numbers that LLVM knows to be of f16, a minimum or maximum that ignores NaN and becomes f16
/// again would be one of f16, which is a call into libm where there is no instruction.
template <typename Op> struct MaxNumOfF16 : OpRewritePattern<Op> {
  MaxNumOfF16(MLIRContext *context, arith::CmpFPredicate predicate)
      : OpRewritePattern<Op>(context), predicate(predicate) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    mlir::Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    if (!getElementTypeOrSelf(x.getType()).isF32() || (!isOfF16(x) && !isOfF16(y)) ||
        !becomesF16(op))
      return rewriter.notifyMatchFailure(op, "not of f16");
    Value isSelected = arith::CmpFOp::create(rewriter, loc, predicate, x, y);
    Value ordered = arith::SelectOp::create(rewriter, loc, isSelected, x, y);
    Value isNan = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, y, y);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNan, x, ordered);
    return success();
  }

  arith::CmpFPredicate predicate;
};

} // namespace

void populateMinMaxPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MaxNumToSelect<arith::MaxNumFOp>>(context, arith::CmpFPredicate::OGT);
  patterns.add<MaxNumToSelect<arith::MinNumFOp>>(context, arith::CmpFPredicate::OLT);
  patterns.add<MaxNumOfF16<arith::MaxNumFOp>>(context, arith::CmpFPredicate::OGT);
  patterns.add<MaxNumOfF16<arith::MinNumFOp>>(context, arith::CmpFPredicate::OLT);
}

} // namespace kgen
