// Activation functions by exp and log: Elu, Selu, Celu, Softplus, Mish. All are written so that
// small results keep their digits; NaN propagates.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

/// Creates the operations of one body.
struct Formula {
  OpBuilder &b;
  mlir::Location loc;

  Value number(Type type, double value) const {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value scaled(Value x, double factor) const {
    return factor == 1.0
               ? x
               : arith::MulFOp::create(b, loc, x, number(x.getType(), factor)).getResult();
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double bound) const {
    return arith::CmpFOp::create(b, loc, predicate, x, number(x.getType(), bound));
  }
  Value choose(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

  /// x where it is positive or NaN, else `otherwise`.
  Value positivePart(Value x, Value otherwise) const {
    return choose(compare(arith::CmpFPredicate::OLE, x, 0.0), otherwise, x);
  }

  /// alpha * (exp(x / divisor) - 1) where x is not positive, else x.
  Value elu(Value x, double alpha, double divisor) const {
    Value argument = x;
    if (divisor != 1.0)
      argument = arith::DivFOp::create(b, loc, x, number(x.getType(), divisor));
    return positivePart(x, scaled(math::ExpM1Op::create(b, loc, argument), alpha));
  }

  /// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
  Value softplus(Value x) const {
    Value magnitude = math::AbsFOp::create(b, loc, x);
    Value e = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, magnitude));
    Value rest = math::Log1pOp::create(b, loc, e);
    return arith::AddFOp::create(b, loc, positivePart(x, number(x.getType(), 0.0)), rest);
  }

  /// x tanh(log(1 + e)) = x n / (n + 2) with e = exp(x) and n = e (e + 2): nothing cancels. With
  /// h = exp(x / 2), that is (x h / (n + 2)) (h (e + 2)), of which only the last product can be
  /// subnormal. Beyond the upper bound the result is x in the type, beyond the lower one it is -0.
  Value mish(Value x) const {
    Type type = x.getType();
    const bool isF64 = type.isF64();
    const double high = isF64 ? 40.0 : 20.0, low = isF64 ? -800.0 : -150.0;
    auto product = [&](Value left, Value right) -> Value {
      return arith::MulFOp::create(b, loc, left, right);
    };
    Value two = number(type, 2.0);
    Value limited = choose(compare(arith::CmpFPredicate::OLT, x, low), number(type, low), x);
    Value h = math::ExpOp::create(b, loc, product(limited, number(type, 0.5)));
    Value e = product(h, h);
    Value sum = arith::AddFOp::create(b, loc, e, two);
    Value divisor = arith::AddFOp::create(b, loc, product(e, sum), two);
    Value quotient = arith::DivFOp::create(b, loc, product(limited, h), divisor);
    Value result = product(quotient, product(h, sum));
    return choose(compare(arith::CmpFPredicate::OGT, x, high), x, result);
  }
};

template <typename Body> Operator smooth(std::string name, std::string summary, Body body) {
  Operator op = elementwiseOperator(std::move(name), std::move(summary));
  op.lower = [body](LoweringContext &c) {
    auto ofElement = [&](OpBuilder &b, mlir::Location loc, ValueRange x) -> Value {
      return body(Formula{b, loc}, x[0], c);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), ofElement));
  };
  return op;
}

AttributeSchema real(std::string name, double value, std::string doc) {
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
  elu.attributes = {real("alpha", 1.0, "the limit at -infinity is -alpha")};

  Operator selu = smooth("Selu", "gamma * x, or gamma * alpha * (exp(x) - 1) where x is negative",
                         [](const Formula &f, Value x, const Context &c) {
                           return f.scaled(f.elu(x, c.real("alpha"), 1.0), c.real("gamma"));
                         });
  // ONNX's values, which are numbers of f32.
  selu.attributes = {real("alpha", 1.67326319217681884765625, "factor of exp(x) - 1"),
                     real("gamma", 1.05070102214813232421875, "factor of everything")};

  Operator celu = smooth("Celu", "x, or alpha * (exp(x / alpha) - 1) where x is negative",
                         [](const Formula &f, Value x, const Context &c) {
                           double alpha = c.real("alpha");
                           return f.elu(x, alpha, alpha);
                         });
  celu.attributes = {real("alpha", 1.0, "the limit at -infinity is -alpha")};
  celu.infer = inferCelu;

  return {
      elu,
      selu,
      celu,
      smooth("Softplus", "log(1 + exp(x)), within 4 ulp",
             [](const Formula &f, Value x, const Context &) { return f.softplus(x); }),
      smooth("Mish", "x * tanh(log(1 + exp(x)))",
             [](const Formula &f, Value x, const Context &) { return f.mish(x); }),
  };
}

} // namespace kgen
