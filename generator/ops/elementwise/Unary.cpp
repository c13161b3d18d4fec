// Operators on single elements that are one or two operations of a dialect: Abs, Ceil, Cos, Erf,
// Exp, Floor, Log, Neg, Reciprocal, Round, Sign, Sin, Sqrt, Tanh.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

/// `known` computes the same of a number that is known when code is generated.
Operator unary(std::string name, std::string summary, LoweringContext::Body body,
               double (*known)(double) = nullptr) {
  Operator op = elementwiseOperator(std::move(name), std::move(summary));
  op.lower = [body = std::move(body)](LoweringContext &c) {
    c.setResult(computed(c, c.operand(0), body));
  };
  if (known)
    op.fold = foldReals([known](ArrayRef<double> x) { return known(x[0]); });
  return op;
}

template <typename Op> Value math1(OpBuilder &b, Location loc, ValueRange x) {
  return Op::create(b, loc, x[0]);
}

/// 1, -1, or 0 for both zeros; NaN stays.
Value signOfReal(OpBuilder &b, Location loc, ValueRange x) {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(x[0].getType(), value));
  };
  auto choose = [&](arith::CmpFPredicate predicate, Value yes, Value no) -> Value {
    Value condition = arith::CmpFOp::create(b, loc, predicate, x[0], number(0.0));
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value ofZero = choose(arith::CmpFPredicate::OEQ, number(0.0), x[0]);
  Value ofNegative = choose(arith::CmpFPredicate::OLT, number(-1.0), ofZero);
  return choose(arith::CmpFPredicate::OGT, number(1.0), ofNegative);
}

/// `lower` of an operator whose integers may be unsigned.
using TypedBody = Value (*)(OpBuilder &, Location, ValueRange, ElementType);
auto lowerTyped(TypedBody body) {
  return [body](LoweringContext &c) {
    ElementType element = c.input(0).element;
    c.setResult(computed(c, c.operand(0), [&](OpBuilder &b, Location loc, ValueRange x) {
      return body(b, loc, x, element);
    }));
  };
}

Value absolute(OpBuilder &b, Location loc, ValueRange x, ElementType element) {
  return computesUnsigned(element) ? x[0] : tpp::scalar::abs(b, loc, x);
}

Value sign(OpBuilder &b, Location loc, ValueRange x, ElementType element) {
  Type type = x[0].getType();
  if (isa<FloatType>(type))
    return signOfReal(b, loc, x);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  if (computesUnsigned(element))
    return arith::MinUIOp::create(b, loc, x[0], number(1));
  Value limited = arith::MinSIOp::create(b, loc, x[0], number(1));
  return arith::MaxSIOp::create(b, loc, limited, number(-1));
}

} // namespace

std::vector<Operator> unaryOperators() {
  Operator neg = unary("Neg", "-x; integers wrap", tpp::scalar::neg);
  Operator abs = elementwiseOperator("Abs", "|x|; integers wrap");
  Operator signOp = elementwiseOperator("Sign", "1, 0 or -1; of NaN NaN");
  signOp.types = floatAndIntegerTypes();
  signOp.lower = lowerTyped(sign);
  Operator sin = unary("Sin", "sine of x in radians, within 4 ulp", math1<math::SinOp>);
  Operator cos = unary("Cos", "cosine of x in radians, within 4 ulp", math1<math::CosOp>);
  neg.types = floatAndSignedTypes();
  neg.fold = foldNumbers(
      [](ArrayRef<int64_t> x) { return static_cast<int64_t>(-static_cast<uint64_t>(x[0])); },
      [](ArrayRef<double> x) { return -x[0]; });
  abs.types = floatAndIntegerTypes();
  abs.lower = lowerTyped(absolute);
  return {
      unary("Ceil", "the next whole number that is not smaller", math1<math::CeilOp>, std::ceil),
      cos,
      unary("Erf", "error function, within 4 ulp", math1<math::ErfOp>),
      unary("Exp", "e to the power x, within 4 ulp", tpp::scalar::exp),
      unary("Floor", "the next whole number that is not larger", math1<math::FloorOp>, std::floor),
      unary("Reciprocal", "1 / x, correctly rounded", tpp::scalar::reciprocal),
      unary("Round", "the nearest whole number, ties to even", math1<math::RoundEvenOp>,
            std::nearbyint),
      signOp,
      sin,
      unary("Log", "natural logarithm, within 4 ulp", tpp::scalar::log),
      unary("Sqrt", "square root, correctly rounded", tpp::scalar::sqrt, std::sqrt),
      unary("Tanh", "hyperbolic tangent, within 4 ulp", tpp::scalar::tanh),
      neg,
      abs,
  };
}

} // namespace kgen
