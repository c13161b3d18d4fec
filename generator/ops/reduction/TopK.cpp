// TopK: the largest or smallest elements along an axis, in order, and where they stand. Elements
// are compared as integers of the same order; of equal ones the first comes first, -0 equals 0, and
// NaN is larger than any number.
#include "ops/reduction/TopK.h"

#include "ops/Axes.h"
#include "ops/Conversion.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

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

} // namespace

namespace top_k {

Value here(OpBuilder &b, Location loc, unsigned loop) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, loop));
}
Value number(OpBuilder &b, Location loc, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}
Value compare(OpBuilder &b, Location loc, Order how, Value l, Value r) {
  return arith::CmpIOp::create(b, loc, how, l, r);
}

Type keyType(Type element) {
  return IntegerType::get(element.getContext(),
                          std::max(32u, computeType(element).getIntOrFloatBitWidth()));
}

Value keyOf(const LoweringContext &c, OpBuilder &b, Location loc, Value element) {
  Value result = ordered(b, loc, element, c.input(0).element);
  unsigned width = result.getType().getIntOrFloatBitWidth();
  if (c.integer("largest") == 0)
    result = arith::XOrIOp::create(b, loc, result,
                                   number(b, loc, result.getType(), APInt::getAllOnes(width)));
  return result;
}

} // namespace top_k

/// All but the axis.
static SymbolicDims otherThanAxis() {
  return {"those that are not searched", [](const InferenceContext &c, size_t input, size_t d) {
            const auto rank = static_cast<int64_t>(c.input(0).shape.size());
            const int64_t axis = c.integer("axis"), dimension = static_cast<int64_t>(d);
            const bool isAxis = input != 0 || axis == dimension || axis + rank == dimension;
            return std::string(isAxis ? "what is searched has a size that is a number" : "");
          }};
}

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
  op.symbolicDims = otherThanAxis();
  op.infer = inferTopK;
  op.lower = [](LoweringContext &c) {
    const TensorShape &shape = c.input(0).shape;
    int64_t axis = *normalizeAxis(c, c.integer("axis"), shape.size()), rows = 1;
    for (size_t d = 0; d < shape.size(); ++d)
      rows *= static_cast<int64_t>(d) == axis || !shape.isStatic() ? 1 : shape[d];
    const Heuristics &limits = c.cpu().heuristics;
    if (shape.isStatic() && shape[axis] <= limits.maxTopKRow && rows >= limits.minTopKRows)
      lowerTopKOfShortRows(c, axis);
    else
      lowerTopKOfLongRows(c, axis);
  };
  return {op};
}

} // namespace kgen
