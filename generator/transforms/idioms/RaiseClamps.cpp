// Chains of bounds before a conversion to an integer become one clamp.
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/SelectedExtremum.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

enum class Bound { Max, Min, NanOnly };

/// One operation of a chain: max(x, c), min(x, c), or c for a NaN and x for all else.
struct Step {
  Bound bound;
  Value x, c;
  APFloat number;
  bool replacesNan; ///< the result for a NaN x is c rather than the NaN
};

std::optional<APFloat> numberOf(Value v) {
  APFloat number(0.0f);
  if (matchPattern(v, m_ConstantFloat(&number)) && !number.isNaN())
    return number;
  return std::nullopt;
}

/// `x uno x ? c : x`.
std::optional<Step> nanStep(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  Value x = select.getFalseValue();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::UNO || compare.getLhs() != x ||
      compare.getRhs() != x)
    return std::nullopt;
  std::optional<APFloat> number = numberOf(select.getTrueValue());
  return number ? std::optional(Step{Bound::NanOnly, x, select.getTrueValue(), *number, true})
                : std::nullopt;
}

std::optional<Step> stepOf(Value v) {
  if (std::optional<FloatBound> found = floatBound(v))
    return Step{found->isMax ? Bound::Max : Bound::Min, found->x, found->constant, found->number,
                found->replacesNan};
  auto select = v.getDefiningOp<arith::SelectOp>();
  return select && !selectedExtremum(select) ? nanStep(select) : std::nullopt;
}

/// A bound, and the constant that it is.
struct Limit {
  APFloat number;
  Value constant; ///< null: none, and the number is an infinity
};

/// The function of a chain of steps: min(max(x, low), high) of numbers, and a constant for NaN.
struct Clamp {
  explicit Clamp(const llvm::fltSemantics &semantics)
      : low{APFloat::getInf(semantics, /*Negative=*/true), {}}, high{APFloat::getInf(semantics),
                                                                     {}} {}

  /// The step is applied to the result of all before it.
  void then(const Step &step) {
    if (ifNan)
      apply(step, *ifNan);
    else if (step.replacesNan)
      ifNan = Limit{step.number, step.c};
    apply(step, low);
    apply(step, high);
  }

  Limit low, high;
  std::optional<Limit> ifNan;

private:
  static void apply(const Step &step, Limit &limit) {
    bool isBound = (step.bound == Bound::Max && step.number > limit.number) ||
                   (step.bound == Bound::Min && step.number < limit.number);
    if (isBound)
      limit = {step.number, step.c};
  }
};

/// The selection and the minimum that QuantizeLinear has, after a selection for NaN unless it
/// becomes the lower bound.
Value createClamp(OpBuilder &builder, Location loc, Value x, const Clamp &clamp, bool nanIsLow) {
  using P = arith::CmpFPredicate;
  if (!nanIsLow) {
    Value isNan = arith::CmpFOp::create(builder, loc, P::UNO, x, x);
    x = arith::SelectOp::create(builder, loc, isNan, clamp.ifNan->constant, x);
  }
  Value low = clamp.low.constant;
  Value isAbove = arith::CmpFOp::create(builder, loc, P::OGT, x, low);
  Value raised = arith::SelectOp::create(builder, loc, isAbove, x, low);
  return arith::MinNumFOp::create(builder, loc, raised, clamp.high.constant);
}

/// Returns where a conversion gets a bounded number from: its operand; what is rounded before; or
/// x, where the quotient of x and a constant is rounded, as q + (x - q * s) * r with q = x * r. For
/// all of these, zeros of both signs are the same.
SmallVector<OpOperand *> boundedUses(Operation *conversion) {
  OpOperand *use = &conversion->getOpOperand(0);
  auto rounding = use->get().getDefiningOp<math::RoundEvenOp>();
  if (!rounding)
    return {use};
  use = &rounding->getOpOperand(0);
  auto corrected = use->get().getDefiningOp<math::FmaOp>();
  auto rest = corrected ? corrected.getA().getDefiningOp<math::FmaOp>() : nullptr;
  auto quotient = corrected ? corrected.getC().getDefiningOp<arith::MulFOp>() : nullptr;
  if (!rest || !quotient || rest.getA() != corrected.getC() || rest.getC() != quotient.getLhs())
    return {use};
  return {&quotient->getOpOperand(0), &rest->getOpOperand(2)};
}

/// `conversion` is arith.fptosi or arith.fptoui.
void raiseClamp(Operation *conversion, IdiomLog &log) {
  SmallVector<Step> steps; // from the conversion upwards
  SmallVector<OpOperand *> uses = boundedUses(conversion);
  Value x = uses.front()->get(), bounded = x;
  for (std::optional<Step> step = stepOf(x); step; step = stepOf(x)) {
    steps.push_back(*step);
    x = step->x;
  }
  auto type = dyn_cast<FloatType>(x.getType());
  if (!type || steps.empty())
    return;
  Clamp clamp(type.getFloatSemantics());
  for (const Step &step : llvm::reverse(steps))
    clamp.then(step);
  if (!clamp.low.constant || !clamp.high.constant || !clamp.ifNan)
    return;
  // A constant for NaN out of the bounds, as in `isnan(x) ? -1 : clamp(x)`, is no input of a clamp.
  if (clamp.ifNan->number < clamp.low.number || clamp.ifNan->number > clamp.high.number)
    return;
  bool nanIsLow = clamp.ifNan->number == clamp.low.number;
  size_t count = nanIsLow ? 2 : 3;
  if (steps.size() <= count)
    return;
  OpBuilder builder(conversion->getContext());
  builder.setInsertionPointAfterValue(bounded);
  Value clamped = createClamp(builder, conversion->getLoc(), x, clamp, nanIsLow);
  for (OpOperand *use : uses)
    use->set(clamped);
  log.applied(conversion->getLoc(), "a clamp of " + Twine(steps.size()) + " bounds");
}

} // namespace

void raiseClamps(func::FuncOp func, IdiomLog &log) {
  func.walk([&](Operation *op) {
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      raiseClamp(op, log);
  });
}

} // namespace kgen
