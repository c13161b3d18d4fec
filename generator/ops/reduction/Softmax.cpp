// Softmax: exp(x - max) over its sum along one axis, and LogSoftmax, its logarithm.
#include "ops/reduction/Softmax.h"

#include "ops/ResultPrecision.h"
#include "ops/TypeRules.h"

using namespace mlir;

namespace kgen {

Value softmax(LoweringContext &c, Value x, int64_t axis, bool maskedToZero) {
  auto op = SoftmaxOp::create(c.b, c.loc, x.getType(), x, ArrayRef(axis), /*logarithm=*/false,
                              maskedToZero, /*rounded_quotient=*/false);
  markPrecision(c, op);
  return op;
}

namespace {

int64_t axisOf(const LoweringContext &c) {
  return *normalizeAxis(c, c.integer("axis"), c.resultTensor().getRank());
}

void lowerSoftmax(LoweringContext &c) { c.setResult(softmax(c, c.operand(0), axisOf(c))); }

void lowerLogSoftmax(LoweringContext &c) {
  auto op = SoftmaxOp::create(c.b, c.loc, c.resultTensor(), c.operand(0), ArrayRef(axisOf(c)),
                              /*logarithm=*/true, /*masked_to_zero=*/false,
                              /*rounded_quotient=*/false);
  markPrecision(c, op);
  c.setResult(op);
}

std::vector<TensorType> inferSoftmax(InferenceContext &context) {
  if (!checkElementTypes(context) ||
      !normalizeAxis(context, context.integer("axis"), context.input(0).shape.size()))
    return {};
  return {context.input(0)};
}

} // namespace

std::vector<Operator> softmaxOperators() {
  Operator op;
  op.name = "Softmax";
  op.summary = "exp(x) / sum(exp(x)) along one axis; 0 where it would be subnormal";
  op.attributes = {{"axis", AttributeKind::integer, int64_t(-1), false,
                    "the axis to normalize along; counted from the end if negative"}};
  op.types = floatTypes();
  op.infer = inferSoftmax;
  op.symbolicDims = SymbolicDims::any();
  op.lower = lowerSoftmax;

  Operator log = op;
  log.name = "LogSoftmax";
  log.summary = "x - log(sum(exp(x))) along one axis";
  log.lower = lowerLogSoftmax;
  return {op, log};
}

} // namespace kgen
