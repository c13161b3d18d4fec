// Activation functions by exp, log and divisions: Elu, Selu, Celu, Softplus, Mish, Softsign, Swish.
// All are written so that small results keep their digits; NaN propagates.
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Scalars.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

/// x tanh(log(1 + e)) = x n / (n + 2) with e = exp(x) and n = e (e + 2): nothing cancels. With
/// h = exp(x / 2), that is (x h / (n + 2)) (h (e + 2)), of which only the last product can be
/// subnormal. Above the upper bound the result is x in the type. Below the lower one h is 0, and
/// the result -0, but NaN for -infinity.
Value mish(const Formula &f, Value x) {
  Type type = x.getType();
  const bool isF64 = type.isF64();
  const double high = isF64 ? 40.0 : 20.0, low = isF64 ? -800.0 : -150.0;
  Value two = f.number(type, 2.0);
  Value h = ExpOrZeroOp::create(f.b, f.loc, f.multiply(x, f.number(type, 0.5)),
                                f.b.getF64FloatAttr(low / 2));
  Value e = f.multiply(h, h);
  Value sum = f.add(e, two);
  Value divisor = f.add(f.multiply(e, sum), two);
  Value quotient = arith::DivFOp::create(f.b, f.loc, f.multiply(x, h), divisor);
  Value result = f.multiply(quotient, f.multiply(h, sum));
  return f.choose(f.compare(arith::CmpFPredicate::OGT, x, high), x, result);
}

/// Computes mish for results of 16 bits: where the quotient n / (n + 2) is subnormal, it has digits
/// enough.
Value mishOfLowPrecision(const Formula &f, Value x) {
  Type type = x.getType();
  constexpr double high = 20.0;
  Value isHigh = f.compare(arith::CmpFPredicate::OGT, x, high);
  Value two = f.number(type, 2.0);
  Value e = math::ExpOp::create(f.b, f.loc, f.choose(isHigh, f.number(type, high), x));
  Value n = f.multiply(e, f.add(e, two));
  return f.multiply(x, arith::DivFOp::create(f.b, f.loc, n, f.add(n, two)));
}

/// x / (1 + exp(-alpha x))
Value swish(const Formula &f, Value x, double alpha) {
  return f.multiply(x, tpp::scalar::sigmoid(f.b, f.loc, f.scaled(x, alpha)));
}

Value softsign(const Formula &f, Value x) {
  Value magnitude = math::AbsFOp::create(f.b, f.loc, x);
  return arith::DivFOp::create(f.b, f.loc, x, f.add(magnitude, f.number(x.getType(), 1.0)));
}

template <typename Body> Operator smooth(std::string name, std::string summary, Body body) {
  Operator op = elementwiseOperator(std::move(name), std::move(summary));
  op.lower = [body](LoweringContext &c) {
    auto elementBody = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
      return body(Formula{b, loc}, x[0], c);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), elementBody));
  };
  return op;
}

AttributeSchema realAttribute(std::string name, double value, std::string doc) {
  return {std::move(name), AttributeKind::real, value, false, std::move(doc)};
}

std::vector<TensorType> inferCelu(InferenceContext &context) {
  if (context.real("alpha") != 0.0)
    return inferUnary(context);
  context.error("Celu's alpha must not be 0: x is divided by it");
  return {};
}

} // namespace

std::vector<Operator> smoothActivationOperators() {
  using Context = LoweringContext;
  Operator elu = smooth(
      "Elu", "x, or alpha * (exp(x) - 1) where x is negative",
      [](const Formula &f, Value x, const Context &c) { return f.elu(x, c.real("alpha"), 1.0); });
  elu.attributes = {realAttribute("alpha", 1.0, "the limit at -infinity is -alpha")};

  Operator selu = smooth("Selu", "gamma * x, or gamma * alpha * (exp(x) - 1) where x is negative",
                         [](const Formula &f, Value x, const Context &c) {
                           return f.scaled(f.elu(x, c.real("alpha"), 1.0), c.real("gamma"));
                         });
  // ONNX's values, which are numbers of f32.
  selu.attributes = {realAttribute("alpha", 1.67326319217681884765625, "factor of exp(x) - 1"),
                     realAttribute("gamma", 1.05070102214813232421875, "factor of everything")};

  Operator celu = smooth("Celu", "x, or alpha * (exp(x / alpha) - 1) where x is negative",
                         [](const Formula &f, Value x, const Context &c) {
                           double alpha = c.real("alpha");
                           return f.elu(x, alpha, alpha);
                         });
  celu.attributes = {realAttribute("alpha", 1.0, "the limit at -infinity is -alpha")};
  celu.infer = inferCelu;

  auto swishOf = [](std::string name, std::string summary, double alpha) {
    Operator op = smooth(
        std::move(name), std::move(summary),
        [](const Formula &f, Value x, const Context &c) { return swish(f, x, c.real("alpha")); });
    op.attributes = {realAttribute("alpha", alpha, "factor of the sigmoid's argument")};
    return op;
  };

  return {
      elu,
      selu,
      celu,
      smooth("Softplus", "log(1 + exp(x)), within 4 ulp",
             [](const Formula &f, Value x, const Context &) { return f.softplus(x); }),
      smooth("Mish", "x * tanh(log(1 + exp(x)))",
             [](const Formula &f, Value x, const Context &c) {
               bool hasLowPrecision = byteWidth(c.resultType().element) == 2;
               return hasLowPrecision ? mishOfLowPrecision(f, x) : mish(f, x);
             }),
      smooth("Softsign", "x / (1 + |x|)",
             [](const Formula &f, Value x, const Context &) { return softsign(f, x); }),
      swishOf("Swish", "x * sigmoid(alpha * x)", 1.0),
      swishOf("QuickGelu", "com.microsoft's: x * sigmoid(alpha * x)", 1.702),
  };
}

} // namespace kgen
