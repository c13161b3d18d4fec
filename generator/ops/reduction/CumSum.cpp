// CumSum: sums of all elements up to each one along an axis.
#include "dialect/kgen/NamedOps.h"
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

using namespace mlir;

namespace kgen {
namespace {

std::optional<int64_t> axisOf(const InferenceContext &context) {
  auto axis = requiredIntegers(context, 1, "axis");
  if (!axis)
    return std::nullopt;
  if (axis->size() != 1) {
    context.error("CumSum's axis (input 2) must be one integer, it is " + context.input(1).str());
    return std::nullopt;
  }
  return normalizeAxis(context, axis->front(), context.input(0).shape.size());
}

Value sums(LoweringContext &c) {
  return CumulativeSumOp::create(c.b, c.loc, c.resultTensor(), c.operand(0), *axisOf(c),
                                 c.integer("exclusive") != 0, c.integer("reverse") != 0);
}

} // namespace

std::vector<Operator> cumSumOperators() {
  Operator op;
  op.name = "CumSum";
  op.summary = "cumulative sums along an axis, which is a constant";
  op.minInputs = op.maxInputs = 2;
  op.attributes = {
      {"exclusive", AttributeKind::integer, int64_t(0), false, "1: without the element itself"},
      {"reverse", AttributeKind::integer, int64_t(0), false, "1: from the end"}};
  op.types = floatAndLongTypes();
  op.symbolicDims = SymbolicDims::any();
  op.infer = [](InferenceContext &c) {
    return axisOf(c) ? std::vector<TensorType>{c.input(0)} : std::vector<TensorType>{};
  };
  op.lower = [](LoweringContext &c) { c.setResult(sums(c)); };
  return {op};
}

} // namespace kgen
