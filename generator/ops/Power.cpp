// Pow. Exponents that are constant and small numbers become products, quotients and square roots.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <llvm/ADT/APFloat.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

/// The exponent, if it is one constant for all elements.
std::optional<double> constantExponent(const LoweringContext &c) {
  const GraphValue &value = c.graph.values[c.node.inputs[1]];
  if (value.kind != ValueKind::weight || !value.data || value.type.elementCount() != 1)
    return std::nullopt;
  auto constant = c.operand(1).getDefiningOp<arith::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!dense)
    return std::nullopt;
  llvm::APFloat number = dense.getSplatValue<llvm::APFloat>();
  bool loses = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

Value number(OpBuilder &b, mlir::Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// sqrt(x) but for pow(-0, 0.5) = +0 and pow(-inf, 0.5) = +inf.
Value root(OpBuilder &b, mlir::Location loc, Value x) {
  Type type = x.getType();
  double infinity = std::numeric_limits<double>::infinity();
  Value positive = arith::AddFOp::create(b, loc, x, number(b, loc, type, 0.0));
  Value isMinusInfinity =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, number(b, loc, type, -infinity));
  Value argument =
      arith::SelectOp::create(b, loc, isMinusInfinity, number(b, loc, type, infinity), positive);
  return math::SqrtOp::create(b, loc, argument);
}

/// Exponents of shortPower.
bool isShort(double y) {
  return y == 0.0 || y == 1.0 || y == 2.0 || y == 3.0 || y == 0.5 || y == -1.0 || y == -0.5;
}

/// pow(x, y) of an exponent that needs no logarithm.
Value shortPower(OpBuilder &b, mlir::Location loc, Value x, double y) {
  auto product = [&](Value left, Value right) -> Value {
    return arith::MulFOp::create(b, loc, left, right);
  };
  auto inverse = [&](Value v) -> Value {
    return arith::DivFOp::create(b, loc, number(b, loc, v.getType(), 1.0), v);
  };
  if (y == 0.0)
    return number(b, loc, x.getType(), 1.0);
  if (y == 1.0)
    return x;
  if (y == 2.0)
    return product(x, x);
  if (y == 3.0)
    return product(product(x, x), x);
  if (y == 0.5)
    return root(b, loc, x);
  if (y == -1.0)
    return inverse(x);
  return inverse(root(b, loc, x));
}

void lowerPow(LoweringContext &c) {
  auto exponent = constantExponent(c);
  if (exponent && isShort(*exponent)) {
    auto body = [&](OpBuilder &b, mlir::Location loc, ValueRange x) {
      return shortPower(b, loc, x[0], *exponent);
    };
    return c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  }
  auto body = [](OpBuilder &b, mlir::Location loc, ValueRange x) -> Value {
    return math::PowFOp::create(b, loc, x[0], x[1]);
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

} // namespace

std::vector<Operator> powerOperators() {
  Operator op;
  op.name = "Pow";
  op.summary = "A to the power B, with broadcasting, within 4 ulp; special cases as in C's pow";
  op.minInputs = op.maxInputs = 2;
  op.types = floatTypes();
  op.infer = inferBroadcast;
  op.lower = lowerPow;
  return {op};
}

} // namespace kgen
