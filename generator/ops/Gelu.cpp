// Gelu, exact and by its tanh approximation, both to a few units in the last place everywhere.
#include "dialect/tpp/Scalars.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

namespace kgen {
namespace {

std::vector<TensorType> inferGelu(InferenceContext &context) {
  const std::string &approximate = context.string("approximate");
  if (approximate == "none" || approximate == "tanh")
    return inferUnary(context);
  context.error("Gelu's approximate must be 'none' or 'tanh', not '" + approximate + "'");
  return {};
}

} // namespace

std::vector<Operator> geluOperators() {
  Operator op;
  op.name = "Gelu";
  op.summary = "x * Phi(x), the Gaussian error linear unit, within 4 ulp";
  op.attributes = {{"approximate", AttributeKind::string, std::string("none"), false,
                    "none: exact, by the error function; tanh: the approximation by tanh"}};
  op.types = floatTypes();
  op.infer = inferGelu;
  op.elementwise = true;
  op.lower = [](LoweringContext &c) {
    auto body = c.string("approximate") == "tanh" ? tpp::scalar::geluTanh : tpp::scalar::gelu;
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  };
  return {op};
}

} // namespace kgen
