#include "transforms/idioms/SelectedExtremum.h"

#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// A comparison `a <predicate> b` of floats.
struct FloatComparison {
  bool isGreater;   ///< a > b rather than a < b
  bool ifEqual;     ///< the result for a == b
  bool ifUnordered; ///< the result if a or b is a NaN
};

/// Nothing for equality and other predicates that are not an order.
std::optional<FloatComparison> comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
    return FloatComparison{true, false, false};
  case P::OGE:
    return FloatComparison{true, true, false};
  case P::OLT:
    return FloatComparison{false, false, false};
  case P::OLE:
    return FloatComparison{false, true, false};
  case P::UGT:
    return FloatComparison{true, false, true};
  case P::UGE:
    return FloatComparison{true, true, true};
  case P::ULT:
    return FloatComparison{false, false, true};
  case P::ULE:
    return FloatComparison{false, true, true};
  default:
    return std::nullopt;
  }
}

/// True for one value, or for constants of the same bits.
bool isSame(Value x, Value y) {
  if (x == y)
    return true;
  APFloat a(0.0f), b(0.0f);
  return matchPattern(x, m_ConstantFloat(&a)) && matchPattern(y, m_ConstantFloat(&b)) &&
         &a.getSemantics() == &b.getSemantics() && a.bitwiseIsEqual(b);
}

} // namespace

std::optional<SelectedExtremum> selectedExtremum(arith::SelectOp select) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  std::optional<FloatComparison> comparison =
      compare ? comparisonOf(compare.getPredicate()) : std::nullopt;
  if (!comparison)
    return std::nullopt;
  Value a = compare.getLhs(), b = compare.getRhs();
  Value ifTrue = select.getTrueValue(), ifFalse = select.getFalseValue();
  bool isStraight = isSame(ifTrue, a) && isSame(ifFalse, b);
  bool isCrossed = isSame(ifTrue, b) && isSame(ifFalse, a);
  if (isStraight == isCrossed)
    return std::nullopt;
  APFloat number(0.0f);
  bool isRight = matchPattern(b, m_ConstantFloat(&number));
  bool isConstant = isRight || matchPattern(a, m_ConstantFloat(&number));
  bool xIfTrue = isStraight == isRight;
  return SelectedExtremum{isRight ? a : b,
                          isConstant ? (isRight ? b : a) : Value(),
                          number,
                          comparison->isGreater == isStraight,
                          comparison->ifEqual == xIfTrue,
                          comparison->ifUnordered == xIfTrue};
}

std::optional<FloatBound> floatBound(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    auto found = selectedExtremum(select);
    if (!found || !found->constant || found->number.isNaN())
      return std::nullopt;
    return FloatBound{found->isMax, found->x, found->constant, found->number, !found->xIfNan};
  }
  Operation *op = value.getDefiningOp();
  const bool isMax = isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (!isMax && !isa_and_nonnull<arith::MinimumFOp, arith::MinNumFOp>(op))
    return std::nullopt;
  APFloat number(0.0f);
  for (unsigned i : {0u, 1u})
    if (matchPattern(op->getOperand(i), m_ConstantFloat(&number)) && !number.isNaN())
      return FloatBound{isMax, op->getOperand(1 - i), op->getOperand(i), number,
                        isa<arith::MaxNumFOp, arith::MinNumFOp>(op)};
  return std::nullopt;
}

} // namespace kgen
