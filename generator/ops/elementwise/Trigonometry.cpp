// Tan, the inverse functions, and the hyperbolic ones with theirs. Small results keep their digits;
// NaN propagates.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

template <typename Op> Operator trigonometric(std::string name, std::string summary) {
  Operator op = elementwiseOperator(std::move(name), std::move(summary));
  op.lower = [](LoweringContext &c) {
    auto elementBody = [](OpBuilder &b, Location loc, ValueRange x) -> Value {
      return Op::create(b, loc, x[0]);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), elementBody));
  };
  return op;
}

} // namespace

std::vector<Operator> trigonometryOperators() {
  return {
      trigonometric<math::TanOp>("Tan", "tangent of x in radians, within 4 ulp"),
      trigonometric<math::AsinOp>("Asin", "arcsine, within 4 ulp; NaN outside of [-1, 1]"),
      trigonometric<math::AcosOp>("Acos", "arccosine, within 4 ulp; NaN outside of [-1, 1]"),
      trigonometric<math::AtanOp>("Atan", "arctangent, within 4 ulp"),
      trigonometric<math::SinhOp>("Sinh", "hyperbolic sine, within 4 ulp"),
      trigonometric<math::CoshOp>("Cosh", "hyperbolic cosine, within 4 ulp"),
      trigonometric<math::AsinhOp>("Asinh", "inverse hyperbolic sine, within 4 ulp"),
      trigonometric<math::AcoshOp>("Acosh", "inverse hyperbolic cosine, within 4 ulp; NaN below 1"),
      trigonometric<math::AtanhOp>(
          "Atanh", "inverse hyperbolic tangent, within 4 ulp; NaN outside of [-1, 1]"),
  };
}

} // namespace kgen
