// Cast and CastLike: elements of another type.
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

bool checkSaturate(const InferenceContext &context) {
  if (context.integer("saturate") == 1)
    return true;
  context.error("saturate must be 1, not " + std::to_string(context.integer("saturate")));
  return false;
}

std::vector<TensorType> inferCast(InferenceContext &context) {
  if (!checkSaturate(context))
    return {};
  auto to = requestedType(context, "to", context.node.op->types);
  if (!to)
    return {};
  return {{*to, context.input(0).shape}};
}

void lowerCast(LoweringContext &c) {
  ElementType from = c.input(0).element, to = c.resultType().element;
  if (from == to)
    return c.setResult(c.operand(0));
  c.setResult(
      c.elementwise(c.resultTensor(), c.operand(0), [&](OpBuilder &b, Location loc, ValueRange x) {
        return castElement(b, loc, x[0], from, to);
      }));
}

/// To the second input's type; nobody reads its elements.
std::vector<TensorType> inferCastLike(InferenceContext &context) {
  if (!checkSaturate(context) ||
      !checkInputType(context, 1, "CastLike's target", allElementTypes()))
    return {};
  return {{context.input(1).element, context.input(0).shape}};
}

/// The bits of the nearest number of the type, cut towards zero.
int64_t asInteger(double x, ElementType type) {
  if (std::isnan(x))
    return 0;
  bool hasSign = !isUnsigned(type);
  double end = std::ldexp(1.0, static_cast<int>(bitWidth(type)) - hasSign);
  double lowest = hasSign ? -end : 0.0;
  if (x >= end) // of 64 bits the largest one is no f64
    return limitsOf(type).second;
  if (!hasSign)
    return static_cast<int64_t>(static_cast<uint64_t>(std::max(x, lowest)));
  return static_cast<int64_t>(std::max(x, lowest));
}

/// Weights that are stored only become floats, however many they are: nobody computes with them.
std::vector<WeightData> foldStored(InferenceContext &c, ElementType to) {
  if (to == c.input(0).element)
    return {c.constantData(0)};
  auto numbers = isFloat(to) ? constantNumbers(c, 0) : std::nullopt;
  return numbers ? std::vector<WeightData>{numbersAsData(*numbers, to)} : std::vector<WeightData>();
}

/// Numbers that are known when code is generated.
std::vector<WeightData> foldCast(InferenceContext &c, const std::vector<TensorType> &types) {
  ElementType to = types.front().element;
  if (isStoredOnly(c.input(0).element))
    return foldStored(c, to);
  if (types.front().elementCount() > foldedElements || to == ElementType::bf16 ||
      to == ElementType::f16 || isFloat8(to))
    return {};
  std::vector<int64_t> integers;
  if (auto reals = c.constantReals(0)) {
    if (isFloat(to))
      return {realsAsData(*reals, to)};
    for (double real : *reals)
      integers.push_back(to == ElementType::boolean ? int64_t(real != 0) : asInteger(real, to));
    return {integersAsData(integers, to)};
  }
  auto known = c.constantIntegers(0);
  if (!known)
    return {};
  std::vector<double> reals;
  for (int64_t integer : *known) {
    integers.push_back(to == ElementType::boolean ? int64_t(integer != 0) : integer);
    // To f64 first would round twice.
    reals.push_back(to == ElementType::f32 ? static_cast<float>(integer)
                                           : static_cast<double>(integer));
  }
  return {isFloat(to) ? realsAsData(reals, to) : integersAsData(integers, to)};
}

/// Sizes stay what they are where the type has them all.
std::vector<std::vector<Dim>> castSizes(InferenceContext &c, const std::vector<TensorType> &types) {
  const ElementType to = types.front().element;
  const bool hasAll = !isFloat(to) && bitWidth(to) >= 32 && c.isSizes(0) &&
                      llvm::all_of(*c.sizes(0), [&](const Dim &size) {
                        const DimBounds bounds = size.bounds();
                        return bounds.min >= 0 && bounds.max <= std::numeric_limits<int32_t>::max();
                      });
  if (!hasAll)
    return {};
  return {*c.sizes(0)};
}

} // namespace

std::vector<Operator> castOperators() {
  Operator op;
  op.name = "Cast";
  op.summary = "the elements as another type: floats to integers towards zero, saturating, NaN to "
               "0; integers to narrower ones wrap; to bool: whether not 0; to floats of 8 bits: to "
               "nearest, ties to even, saturating";
  AttributeSchema saturate{"saturate", AttributeKind::integer, int64_t(1), false,
                           "1: what is beyond the largest float of 8 bits becomes that"};
  op.attributes = {{"to", AttributeKind::string, std::nullopt, false, "the element type"},
                   saturate};
  op.types = allElementTypes();
  op.infer = inferCast;
  op.elementwise = true;
  op.symbolicDims = SymbolicDims::any();
  op.fold = foldCast;
  op.foldSizes = castSizes;
  op.lower = lowerCast;

  Operator like = op;
  like.name = "CastLike";
  like.summary = "Cast to the element type of the second input";
  like.minInputs = like.maxInputs = 2;
  like.attributes = {saturate};
  like.infer = inferCastLike;
  like.elementwise = false;
  return {op, like};
}

} // namespace kgen
