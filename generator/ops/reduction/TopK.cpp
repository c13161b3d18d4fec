// TopK: the largest or smallest elements along an axis, in order, and where they stand.
#include "dialect/kgen/NamedOps.h"
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferTopK(InferenceContext &context) {
  const TensorType &input = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), input.shape.size());
  auto k = axis ? requiredIntegers(context, 1, "k") : std::nullopt;
  if (!k)
    return {};
  int64_t size = input.shape[*axis];
  if (k->size() != 1 || k->front() < 0 || k->front() > size ||
      size > std::numeric_limits<int32_t>::max()) {
    context.error("TopK's k (input 2) must be one integer from 0 to the " + std::to_string(size) +
                  " elements of axis " + std::to_string(*axis) + ", which are less than 2^31");
    return {};
  }
  TensorType values = input;
  values.shape.setDim(*axis, k->front());
  return {values, {ElementType::i64, values.shape}};
}

/// All but the axis.
SymbolicDims otherThanSearched() {
  return {"those that are not searched", [](const InferenceContext &c, size_t input, size_t d) {
            const auto rank = static_cast<int64_t>(c.input(0).shape.size());
            const int64_t axis = c.integer("axis"), dimension = static_cast<int64_t>(d);
            const bool isAxis = input != 0 || axis == dimension || axis + rank == dimension;
            return std::string(isAxis ? "what is searched has a size that is a number" : "");
          }};
}

void lowerTopK(LoweringContext &c) {
  int64_t axis =
      *normalizeAxis(c, c.integer("axis"), static_cast<int64_t>(c.input(0).shape.size()));
  Type indices = c.hasResult(1) ? c.resultTensor(1) : Type();
  auto op = TopKOp::create(c.b, c.loc, c.resultTensor(), indices, c.operand(0), axis,
                           c.integer("largest") == 0, isUnsigned(c.input(0).element));
  c.setResult(op.getResult());
  if (indices)
    c.setResult(op.getIndices(), 1);
}

} // namespace

std::vector<Operator> topKOperators() {
  Operator op;
  op.name = "TopK";
  op.summary = "the k largest or smallest elements along an axis and their indices";
  op.minInputs = op.maxInputs = 2;
  op.outputs = 2;
  op.optionalOutputs = 1;
  op.attributes = {
      {"axis", AttributeKind::integer, int64_t(-1), false, "counted from the end if negative"},
      {"largest", AttributeKind::integer, int64_t(1), false, "0: the smallest ones"},
      {"sorted", AttributeKind::integer, int64_t(1), false,
       "of no effect: results are always in order"}};
  op.types = floatAndIntegerTypes();
  op.symbolicDims = otherThanSearched();
  op.infer = inferTopK;
  op.lower = lowerTopK;
  return {op};
}

} // namespace kgen
