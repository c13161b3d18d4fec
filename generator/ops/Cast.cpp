// Cast and CastLike: elements of another type.
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferCast(InferenceContext &context) {
  auto to = requestedType(context, "to", context.node.op->types);
  if (!to)
    return {};
  return {{*to, context.input(0).shape}};
}

void lowerCast(LoweringContext &c) {
  ElementType from = c.input(0).element, to = c.resultType().element;
  if (from == to)
    return c.setResult(c.operand(0));
  c.setResult(c.elementwise(c.resultTensor(), c.operand(0),
                            [&](OpBuilder &b, mlir::Location loc, ValueRange x) {
                              return castElement(b, loc, x[0], from, to);
                            }));
}

/// To the second input's type; nobody reads its elements.
std::vector<TensorType> inferCastLike(InferenceContext &context) {
  if (!checkInputType(context, 1, "CastLike's target", allElementTypes()))
    return {};
  return {{context.input(1).element, context.input(0).shape}};
}

} // namespace

std::vector<Operator> castOperators() {
  Operator op;
  op.name = "Cast";
  op.summary = "the elements as another type: floats to integers towards zero, saturating, NaN to "
               "0; integers to narrower ones wrap; to bool: whether not 0";
  op.attributes = {{"to", AttributeKind::string, std::nullopt, false, "the element type"}};
  op.types = {ElementType::f32, ElementType::f64, ElementType::bf16,
              ElementType::f16, ElementType::i8,  ElementType::u8,
              ElementType::i32, ElementType::i64, ElementType::boolean};
  op.infer = inferCast;
  op.elementwise = true;
  op.fold = [](InferenceContext &c, const std::vector<TensorType> &types) {
    bool isTruth = types.front().element == ElementType::boolean;
    auto cast = [isTruth](ArrayRef<int64_t> x) { return isTruth ? int64_t(x[0] != 0) : x[0]; };
    return foldIntegers(cast)(c, types);
  };
  op.lower = lowerCast;

  Operator like = op;
  like.name = "CastLike";
  like.summary = "Cast to the element type of the second input";
  like.minInputs = like.maxInputs = 2;
  like.attributes.clear();
  like.infer = inferCastLike;
  like.elementwise = false;
  return {op, like};
}

} // namespace kgen
