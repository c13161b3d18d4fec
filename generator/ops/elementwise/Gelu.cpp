// Gelu, exact and by its tanh approximation, both to a few units in the last place everywhere, and
// com.microsoft's with a bias.
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

/// The bias is a row.
std::vector<TensorType> inferBiased(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  const TensorType &x = context.input(0);
  bool fits =
      !context.hasInput(1) || (!x.shape.empty() && context.input(1).shape.size() == 1 &&
                               context.input(1).shape.dim(0) == x.shape.dim(x.shape.size() - 1));
  if (fits)
    return {x};
  context.error(context.node.op->name + "'s bias (input 2) must be a row of x: x is " + x.str() +
                ", the bias " + context.input(1).str());
  return {};
}

Operator biased(std::string name, std::string summary, size_t minInputs,
                decltype(tpp::scalar::gelu) *gelu) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = minInputs;
  op.maxInputs = 2;
  op.types = floatTypes();
  op.infer = inferBiased;
  op.symbolicDims = SymbolicDims::any();
  op.lower = [gelu](LoweringContext &c) {
    llvm::SmallVector<mlir::Value> operands{c.operand(0)};
    if (c.hasInput(1))
      operands.push_back(c.operand(1));
    c.setResult(c.elementwise(c.resultTensor(), operands,
                              [&](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange v) {
                                return gelu(b, loc,
                                            v.size() > 1 ? tpp::scalar::add(b, loc, v) : v[0]);
                              }));
  };
  return op;
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
  op.symbolicDims = SymbolicDims::any();
  op.lower = [](LoweringContext &c) {
    auto body = c.string("approximate") == "tanh" ? tpp::scalar::geluTanh : tpp::scalar::gelu;
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  };
  return {op, biased("BiasGelu", "com.microsoft's: Gelu of x and a bias", 2, tpp::scalar::gelu),
          biased("FastGelu",
                 "com.microsoft's: Gelu of x, and a bias if there is one, approximated by tanh", 1,
                 tpp::scalar::geluTanh)};
}

} // namespace kgen
