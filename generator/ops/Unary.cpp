// Operators on single elements that are one operation of a dialect: Erf, Exp, Log, Sqrt, Tanh, Neg,
// Abs.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/TypeRules.h"

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
  op.elementwise = true;
  op.lower = [body = std::move(body)](LoweringContext &c) {
    c.setResult(computed(c, c.operand(0), body));
  };
  return op;
}

Value erf(OpBuilder &b, mlir::Location loc, ValueRange x) {
  return math::ErfOp::create(b, loc, x[0]);
}

} // namespace

std::vector<Operator> unaryOperators() {
  Operator neg = unary("Neg", "-x; integers wrap", tpp::scalar::neg);
  Operator abs = unary("Abs", "|x|; integers wrap", tpp::scalar::abs);
  neg.types = floatAndSignedTypes();
  abs.types = floatAndIntegerTypes();
  return {
      unary("Erf", "error function, within 4 ulp", erf),
      unary("Exp", "e to the power x, within 4 ulp", tpp::scalar::exp),
      unary("Log", "natural logarithm, within 4 ulp", tpp::scalar::log),
      unary("Sqrt", "square root, correctly rounded", tpp::scalar::sqrt),
      unary("Tanh", "hyperbolic tangent, within 4 ulp", tpp::scalar::tanh),
      neg,
      abs,
  };
}

} // namespace kgen
