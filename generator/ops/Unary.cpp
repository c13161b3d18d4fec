// Operators on single elements that are one operation of a dialect: Erf, Exp, Log, Sqrt, Tanh, Neg,
// Abs.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

Operator unary(std::string name, std::string summary, LoweringContext::Body body) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = floatTypes();
  op.infer = inferUnary;
  op.lower = [body = std::move(body)](LoweringContext &c) {
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  };
  return op;
}

template <typename Op> Value one(OpBuilder &b, mlir::Location loc, ValueRange x) {
  return Op::create(b, loc, x[0]);
}

Value negate(OpBuilder &b, mlir::Location loc, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return arith::NegFOp::create(b, loc, x[0]);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x[0].getType()));
  return arith::SubIOp::create(b, loc, zero, x[0]);
}

Value absolute(OpBuilder &b, mlir::Location loc, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return math::AbsFOp::create(b, loc, x[0]);
  return math::AbsIOp::create(b, loc, x[0]);
}

} // namespace

std::vector<Operator> unaryOperators() {
  Operator neg = unary("Neg", "-x; integers wrap", negate);
  Operator abs = unary("Abs", "|x|; integers wrap", absolute);
  neg.types = abs.types = floatAndIntegerTypes();
  return {
      unary("Erf", "error function, within 4 ulp", one<math::ErfOp>),
      unary("Exp", "e to the power x, within 4 ulp", one<math::ExpOp>),
      unary("Log", "natural logarithm, within 4 ulp", one<math::LogOp>),
      unary("Sqrt", "square root, correctly rounded", one<math::SqrtOp>),
      unary("Tanh", "hyperbolic tangent, within 4 ulp", one<math::TanhOp>),
      neg,
      abs,
  };
}

} // namespace kgen
