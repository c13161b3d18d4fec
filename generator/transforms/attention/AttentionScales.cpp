// Constant factors of the queries and keys, and the guard of rows whose softmax is NaN.
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Matchers.h>

#include <cmath>

using namespace mlir;

namespace kgen {

/// The number that a scalar of the body is for all elements.
static std::optional<double> constantOf(linalg::GenericOp op, Value scalar) {
  APFloat number(0.0);
  if (matchPattern(scalar, m_ConstantFloat(&number)))
    return number.convertToDouble();
  OpOperand *operand = operandOf(op, scalar);
  auto splat = operand ? dyn_cast_or_null<FloatAttr>(splatOf(operand->get())) : FloatAttr();
  return splat ? std::optional(splat.getValueAsDouble()) : std::nullopt;
}

std::optional<Scale> scaleOf(linalg::GenericOp op) {
  if (!isElementwise(op))
    return std::nullopt;
  Operation *product = stripConversions(yieldedValue(op)).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::DivFOp>(product))
    return std::nullopt;
  bool isQuotient = isa<arith::DivFOp>(product);
  for (auto [x, y] : {std::pair(0, 1), std::pair(1, 0)}) {
    OpOperand *input = operandOf(op, product->getOperand(x));
    std::optional<double> factor = constantOf(op, product->getOperand(y));
    if (!input || !factor || splatOf(input->get()) || (isQuotient && x == 1) ||
        !isa<RankedTensorType>(input->get().getType()) ||
        !op.getMatchingIndexingMap(input).isProjectedPermutation())
      continue;
    factor = isQuotient ? 1 / *factor : *factor;
    if (std::isnormal(*factor))
      return Scale{input, *factor};
  }
  return std::nullopt;
}

/// Returns x of `isnan(x)`, and of that as an integer; null for other scalars.
static Value testedForNan(Value test) {
  while (auto extended = test.getDefiningOp<arith::ExtUIOp>())
    test = extended.getIn();
  auto compare = test.getDefiningOp<arith::CmpFOp>();
  bool isTest = compare && compare.getLhs() == compare.getRhs() &&
                (compare.getPredicate() == arith::CmpFPredicate::UNO ||
                 compare.getPredicate() == arith::CmpFPredicate::UNE);
  return isTest ? compare.getLhs() : Value();
}

/// Returns the tensor whose element `scalar` is, at the indices of the result; null for others.
static Value elementOf(linalg::GenericOp op, Value scalar) {
  auto argument = dyn_cast_or_null<BlockArgument>(scalar);
  if (!argument || argument.getOwner() != op.getBody())
    return {};
  OpOperand *operand = op.getMatchingOpOperand(argument);
  return op.getMatchingIndexingMap(operand).isIdentity() ? operand->get() : Value();
}

Value beforeNanGuard(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  auto select = isElementwise(op) ? yieldedValue(op).getDefiningOp<arith::SelectOp>() : nullptr;
  if (!select)
    return {};
  std::optional<double> other = constantOf(op, select.getTrueValue());
  Value guarded = elementOf(op, select.getFalseValue());
  if (!guarded || other != 0.0 || std::signbit(*other))
    return {};
  if (Value tested = testedForNan(select.getCondition()))
    return elementOf(op, tested) == guarded && guarded.hasOneUse() ? guarded : Value();
  // The test may be an operation of its own, whose result is a tensor of integers or bits.
  Value test = select.getCondition();
  auto compare = test.getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::ne &&
      matchPattern(compare.getRhs(), m_Zero()))
    test = compare.getLhs();
  Value tests = elementOf(op, test);
  auto testing = tests ? tests.getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if (!isElementwise(testing) || !tests.hasOneUse() || !guarded.hasNUses(2))
    return {};
  Value tested = testedForNan(yieldedValue(testing));
  return tested && elementOf(testing, tested) == guarded ? guarded : Value();
}

} // namespace kgen
