// Compare and select become maximum and minimum where the result is the same for every input.
#include "transforms/idioms/FloatComparison.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// True for one value, or for constants of the same bits.
bool isSame(Value x, Value y) {
  if (x == y)
    return true;
  APFloat a(0.0f), b(0.0f);
  return matchPattern(x, m_ConstantFloat(&a)) && matchPattern(y, m_ConstantFloat(&b)) &&
         &a.getSemantics() == &b.getSemantics() && a.bitwiseIsEqual(b);
}

/// The maximum or minimum that computes what a selection does, or the reason against it. Both are
/// null if the selection is not between the two values that are compared.
struct Replacement {
  Value value;
  StringRef refusal;
};

/// For select(compare(a, b), a, b) or select(compare(a, b), b, a), one of which is a constant c.
/// The other one is called x.
Replacement replacement(OpBuilder &builder, arith::SelectOp select, arith::CmpFOp compare) {
  std::optional<FloatComparison> comparison = comparisonOf(compare.getPredicate());
  Value a = compare.getLhs(), b = compare.getRhs();
  Value ifTrue = select.getTrueValue(), ifFalse = select.getFalseValue();
  bool isStraight = isSame(ifTrue, a) && isSame(ifFalse, b);
  bool isCrossed = isSame(ifTrue, b) && isSame(ifFalse, a);
  if (!comparison || isStraight == isCrossed)
    return {};
  APFloat c(0.0f);
  bool isRight = matchPattern(b, m_ConstantFloat(&c));
  if (!isRight && !matchPattern(a, m_ConstantFloat(&c)))
    return {{}, "neither value is a constant, so either may be the NaN"};
  if (c.isNaN())
    return {{}, "the constant is a NaN"};
  Value x = isRight ? a : b, constant = isRight ? b : a;
  bool isMax = comparison->isGreater == isStraight;
  bool xIfTrue = isStraight == isRight;
  bool xIfEqual = comparison->ifEqual == xIfTrue, xIfNan = comparison->ifUnordered == xIfTrue;
  Location loc = select.getLoc();
  if (!xIfNan) {
    if (c.isZero())
      return {{}, "maxnumf and minnumf may return either zero"};
    return isMax ? Replacement{arith::MaxNumFOp::create(builder, loc, x, constant), {}}
                 : Replacement{arith::MinNumFOp::create(builder, loc, x, constant), {}};
  }
  // A comparison finds the zeros equal, but -0 is less than +0 for maximumf and minimumf: they
  // return c if c is the zero that they prefer.
  bool isPreferred = c.isNegative() != isMax;
  if (c.isZero() && xIfEqual == isPreferred)
    return {{}, "the zeros are chosen in another way"};
  return isMax ? Replacement{arith::MaximumFOp::create(builder, loc, x, constant), {}}
               : Replacement{arith::MinimumFOp::create(builder, loc, x, constant), {}};
}

void replaceSelect(arith::SelectOp select, arith::CmpFOp compare, IdiomLog &log) {
  OpBuilder builder(select);
  Replacement found = replacement(builder, select, compare);
  if (!found.refusal.empty())
    log.refused(select.getLoc(), found.refusal);
  if (!found.value)
    return;
  log.applied(select.getLoc(),
              "compare and select are " + found.value.getDefiningOp()->getName().getStringRef());
  select.getResult().replaceAllUsesWith(found.value);
  select.erase();
  if (compare->use_empty())
    compare.erase();
}

} // namespace

void raiseExtrema(func::FuncOp func, IdiomLog &log) {
  SmallVector<arith::SelectOp> selects;
  func.walk([&](arith::SelectOp op) { selects.push_back(op); });
  for (arith::SelectOp select : selects)
    if (auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>())
      replaceSelect(select, compare, log);
}

} // namespace kgen
