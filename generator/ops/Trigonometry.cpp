// Tan, the inverse functions, and the hyperbolic ones with theirs: by sine, cosine, arcus tangent,
// exponentials and logarithms. All are written so that small results keep their digits; NaN
// propagates.
#include "ops/Formula.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

using arith::CmpFPredicate;

/// Operations on one element.
struct Element : Formula {
  using Formula::Formula;
  Element(OpBuilder &b, mlir::Location loc) : Formula{b, loc} {}

  template <typename Op> Value apply(Value x) const { return Op::create(b, loc, x); }
  Value magnitude(Value x) const { return apply<math::AbsFOp>(x); }
  Value root(Value x) const { return apply<math::SqrtOp>(x); }
  Value quotient(Value x, Value y) const { return arith::DivFOp::create(b, loc, x, y); }
  Value plus(Value x, double y) const { return add(x, number(x.getType(), y)); }
  Value oneMinus(Value x) const {
    return arith::SubFOp::create(b, loc, number(x.getType(), 1.0), x);
  }
  Value withSignOf(Value magnitude, Value x) const {
    return math::CopySignOp::create(b, loc, magnitude, x);
  }
};

Value tangent(const Element &f, Value x) {
  return f.quotient(f.apply<math::SinOp>(x), f.apply<math::CosOp>(x));
}

/// (1 - x) (1 + x), which loses nothing near 1.
Value lessThanOne(const Element &f, Value x) { return f.multiply(f.oneMinus(x), f.plus(x, 1.0)); }

/// 2 atan(x / (1 + sqrt(1 - x^2)))
Value arcSine(const Element &f, Value x) {
  Value half = f.quotient(x, f.plus(f.root(lessThanOne(f, x)), 1.0));
  return f.scaled(f.apply<math::AtanOp>(half), 2.0);
}

/// 2 atan(sqrt((1 - x) / (1 + x))), where both differences are exact near 1 and -1.
Value arcCosine(const Element &f, Value x) {
  Value half = f.root(f.quotient(f.oneMinus(x), f.plus(x, 1.0)));
  return f.scaled(f.apply<math::AtanOp>(half), 2.0);
}

/// h (h + 2) / 2 (1 + 1 / (h + 1)^2) with h = exp(|x| / 2) - 1. The first product overflows only
/// where the result does.
Value hyperbolicSine(const Element &f, Value x) {
  Value h = f.apply<math::ExpM1Op>(f.scaled(f.magnitude(x), 0.5));
  Value root = f.plus(h, 1.0), large = f.multiply(f.scaled(h, 0.5), f.plus(h, 2.0));
  Value rest = f.quotient(f.number(x.getType(), 1.0), f.multiply(root, root));
  return f.withSignOf(f.multiply(large, f.plus(rest, 1.0)), x);
}

/// h^2 / 2 + (1 / h^2) / 2 with h = exp(|x| / 2)
Value hyperbolicCosine(const Element &f, Value x) {
  Value root = f.apply<math::ExpOp>(f.scaled(f.magnitude(x), 0.5));
  Value large = f.multiply(f.scaled(root, 0.5), root);
  return f.add(large, f.quotient(f.number(x.getType(), 0.25), large));
}

/// Where x is so large that x + sqrt(x^2 + 1) is 2 x and x + 1 is x, to the digits of any type,
/// log(2 x) takes the place of log1p(sum). The square of smaller ones does not overflow.
Value logarithmOfSum(const Element &f, Value x, Value sum) {
  Type type = x.getType();
  Value isLarge = f.compare(CmpFPredicate::OGT, x, 0x1p60);
  Value result = f.apply<math::Log1pOp>(f.choose(isLarge, x, sum));
  return f.add(result, f.choose(isLarge, f.number(type, std::log(2.0)), f.number(type, 0.0)));
}

/// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
Value areaSine(const Element &f, Value x) {
  Value a = f.magnitude(x), square = f.multiply(a, a);
  Value rest = f.quotient(square, f.plus(f.root(f.plus(square, 1.0)), 1.0));
  return f.withSignOf(logarithmOfSum(f, a, f.add(a, rest)), x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
Value areaCosine(const Element &f, Value x) {
  Value t = f.plus(x, -1.0);
  Value result = logarithmOfSum(f, x, f.add(t, f.root(f.multiply(t, f.plus(t, 2.0)))));
  Value nan = f.number(x.getType(), std::nan(""));
  return f.choose(f.compare(CmpFPredicate::OLT, x, 1.0), nan, result);
}

/// log1p(2 |x| / (1 - |x|)) / 2
Value areaTangent(const Element &f, Value x) {
  Value a = f.magnitude(x);
  Value ratio = f.quotient(f.scaled(a, 2.0), f.oneMinus(a));
  return f.withSignOf(f.scaled(f.apply<math::Log1pOp>(ratio), 0.5), x);
}

Operator trigonometric(std::string name, std::string summary,
                       Value (*function)(const Element &, Value)) {
  Operator op = elementwiseOperator(std::move(name), std::move(summary));
  op.lower = [function](LoweringContext &c) {
    auto ofElement = [&](OpBuilder &b, mlir::Location loc, ValueRange x) -> Value {
      return function(Element(b, loc), x[0]);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), ofElement));
  };
  return op;
}

} // namespace

std::vector<Operator> trigonometryOperators() {
  return {
      trigonometric("Tan", "tangent of x in radians, within 6 ulp", tangent),
      trigonometric("Asin", "arcus sine, within 4 ulp; NaN beyond -1 and 1", arcSine),
      trigonometric("Acos", "arcus cosine, within 4 ulp; NaN beyond -1 and 1", arcCosine),
      trigonometric("Atan", "arcus tangent, within 4 ulp",
                    [](const Element &f, Value x) -> Value { return f.apply<math::AtanOp>(x); }),
      trigonometric("Sinh", "hyperbolic sine, within 6 ulp", hyperbolicSine),
      trigonometric("Cosh", "hyperbolic cosine, within 6 ulp", hyperbolicCosine),
      trigonometric("Asinh", "area hyperbolic sine, within 6 ulp", areaSine),
      trigonometric("Acosh", "area hyperbolic cosine, within 6 ulp; NaN below 1", areaCosine),
      trigonometric("Atanh", "area hyperbolic tangent, within 6 ulp; NaN beyond -1 and 1",
                    areaTangent),
  };
}

} // namespace kgen
