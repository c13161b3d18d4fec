// Activation functions of at most a few arithmetic operations: Relu, LeakyRelu, PRelu, Sigmoid,
// Clip, HardSigmoid, HardSwish, through which NaN propagates, and ThresholdedRelu and Shrink, which
// make 0 of it.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

Value choose(OpBuilder &b, Location loc, arith::CmpFPredicate predicate, Value left, Value right,
             Value then, Value otherwise) {
  Value condition = arith::CmpFOp::create(b, loc, predicate, left, right);
  return arith::SelectOp::create(b, loc, condition, then, otherwise);
}

void lowerLeakyRelu(LoweringContext &c) {
  double alpha = c.real("alpha");
  c.setResult(
      c.elementwise(c.resultTensor(), c.operand(0), [&](OpBuilder &b, Location loc, ValueRange x) {
        return tpp::scalar::leakyRelu(b, loc, x, alpha);
      }));
}

std::vector<TensorType> inferClip(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  for (size_t i = 1; i < context.inputCount(); ++i)
    if (context.hasInput(i) && !context.input(i).shape.empty()) {
      context.error(std::string("Clip's ") + (i == 1 ? "min" : "max") +
                    " must be a scalar, it is " + context.input(i).str());
      return {};
    }
  return {context.input(0)};
}

/// `x`, or `bound` if that is greater (less). Compare and select is one instruction on x86, and NaN
/// stays.
Value atLeast(OpBuilder &b, Location loc, Value x, Value bound) {
  if (isa<IntegerType>(x.getType()))
    return arith::MaxSIOp::create(b, loc, x, bound);
  return choose(b, loc, arith::CmpFPredicate::OGT, bound, x, bound, x);
}

Value atMost(OpBuilder &b, Location loc, Value x, Value bound) {
  return choose(b, loc, arith::CmpFPredicate::OLT, bound, x, bound, x);
}

Value relu(OpBuilder &b, Location loc, ValueRange x) {
  if (isa<IntegerType>(x[0].getType()))
    return atLeast(b, loc, x[0], tpp::scalar::zero(b, loc, x[0].getType()));
  return tpp::scalar::relu(b, loc, x);
}

/// First the lower bound, then the upper one.
void lowerClip(LoweringContext &c) {
  SmallVector<Value> operands = {c.operand(0)};
  bool hasMin = c.hasInput(1), hasMax = c.hasInput(2);
  if (hasMin)
    operands.push_back(c.operand(1));
  if (hasMax)
    operands.push_back(c.operand(2));
  if (operands.size() == 1)
    return c.setResult(operands[0]);
  ElementType element = c.input(0).element;
  bool isReal = isFloat(element), isUnsignedType = computesUnsigned(element);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value x = v[0];
    if (hasMin)
      x = isReal ? atLeast(b, loc, x, v[1])
                 : tpp::scalar::maximum(b, loc, {x, v[1]}, isUnsignedType);
    if (hasMax)
      x = isReal ? atMost(b, loc, x, v.back())
                 : tpp::scalar::minimum(b, loc, {x, v.back()}, isUnsignedType);
    return x;
  };
  c.setResult(computed(c, operands, body));
}

/// NaN for -infinity, which is multiplied by 0.
Value hardSwish(OpBuilder &b, Location loc, ValueRange x) {
  Value factor = Formula{b, loc}.hardSigmoid(x[0], 1.0 / 6, 0.5);
  return arith::MulFOp::create(b, loc, x[0], factor);
}

/// The slope broadcasts to x, not x to it.
std::vector<TensorType> inferPRelu(InferenceContext &context) {
  std::vector<TensorType> types = inferBroadcast(context);
  if (types.empty() || types[0] == context.input(0))
    return types;
  context.error("PRelu's slope (input 2) " + context.input(1).str() + " does not broadcast to " +
                context.input(0).str());
  return {};
}

void lowerPRelu(LoweringContext &c) {
  auto body = [](OpBuilder &b, Location loc, ValueRange x) {
    Value scaled = tpp::scalar::mul(b, loc, x);
    Value zero = tpp::scalar::zero(b, loc, x[0].getType());
    if (isa<FloatType>(x[0].getType()))
      return choose(b, loc, arith::CmpFPredicate::OLT, x[0], zero, scaled, x[0]);
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x[0], zero);
    return arith::SelectOp::create(b, loc, negative, scaled, x[0]).getResult();
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

Value thresholded(const Formula &f, Value x, LoweringContext &c) {
  Value isAbove = f.compare(arith::CmpFPredicate::OGT, x, c.real("alpha"));
  return f.choose(isAbove, x, f.number(x.getType(), 0.0));
}

Value shrunk(const Formula &f, Value x, LoweringContext &c) {
  const double limit = c.real("lambd"), bias = c.real("bias");
  Value below = f.compare(arith::CmpFPredicate::OLT, x, -limit);
  Value above = f.compare(arith::CmpFPredicate::OGT, x, limit);
  Value otherwise =
      f.choose(above, f.add(x, f.number(x.getType(), -bias)), f.number(x.getType(), 0.0));
  return f.choose(below, f.add(x, f.number(x.getType(), bias)), otherwise);
}

/// `lower` of an operator that is a formula of each element.
template <typename Body> auto formula(Body body) {
  return [body](LoweringContext &c) {
    auto elementBody = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
      return body(Formula{b, loc}, x[0], c);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), elementBody));
  };
}

/// `lower` of an operator that is `body` on each element.
template <typename Body> auto elementwise(Body body) {
  return [body](LoweringContext &c) { c.setResult(computed(c, c.operand(0), body)); };
}

} // namespace

std::vector<Operator> activationOperators() {
  Operator reluOp = elementwiseOperator("Relu", "max(0, x); NaN and -0 stay");
  reluOp.types = floatAndSignedTypes();
  reluOp.lower = elementwise(relu);

  Operator leaky = elementwiseOperator("LeakyRelu", "x, or alpha * x where x is negative");
  leaky.attributes = {{"alpha", AttributeKind::real, 0.01, false, "slope for negative elements"}};
  leaky.lower = lowerLeakyRelu;

  Operator sigmoidOp = elementwiseOperator("Sigmoid", "1 / (1 + exp(-x)), within 4 ulp");
  sigmoidOp.lower = elementwise(tpp::scalar::sigmoid);

  Operator clip = elementwiseOperator("Clip", "x limited to [min, max]; both are optional scalars");
  clip.types = floatAndIntegerTypes();
  clip.maxInputs = 3;
  clip.infer = inferClip;
  clip.lower = lowerClip;

  Operator hard = elementwiseOperator("HardSigmoid", "max(0, min(1, alpha * x + beta))");
  hard.attributes = {{"alpha", AttributeKind::real, 0.2, false, "slope"},
                     {"beta", AttributeKind::real, 0.5, false, "the result at 0"}};
  hard.lower = formula([](const Formula &f, Value x, LoweringContext &c) {
    return f.hardSigmoid(x, c.real("alpha"), c.real("beta"));
  });

  Operator swish = elementwiseOperator("HardSwish", "x * max(0, min(1, x / 6 + 0.5))");
  swish.lower = elementwise(hardSwish);

  Operator prelu = elementwiseOperator(
      "PRelu", "x, or slope * x where x is negative; the slope broadcasts to x");
  prelu.minInputs = prelu.maxInputs = 2;
  prelu.types.insert(prelu.types.end(), {ElementType::i32, ElementType::i64});
  prelu.infer = inferPRelu;
  prelu.lower = lowerPRelu;

  Operator threshold = elementwiseOperator("ThresholdedRelu", "x where it is above alpha, else 0");
  threshold.attributes = {
      {"alpha", AttributeKind::real, 1.0, false, "threshold: x up to it becomes 0"}};
  threshold.lower = formula(thresholded);

  Operator shrink = elementwiseOperator(
      "Shrink", "x + bias below -lambd, x - bias above lambd, and 0 in between");
  shrink.attributes = {{"lambd", AttributeKind::real, 0.5, false, "threshold of |x|"},
                       {"bias", AttributeKind::real, 0.0, false, "subtracted from |x|"}};
  shrink.lower = formula(shrunk);
  return {reluOp, leaky, prelu, sigmoidOp, clip, hard, swish, threshold, shrink};
}

} // namespace kgen
