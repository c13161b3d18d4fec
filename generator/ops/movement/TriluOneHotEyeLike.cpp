// Elements that are kept or set by where they stand: Trilu, OneHot, EyeLike.
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

/// The integer of an input that must be a weight of one element.
std::optional<int64_t> requiredInteger(const InferenceContext &context, size_t i,
                                       const std::string &what) {
  auto list = requiredIntegers(context, i, what);
  if (!list || list->size() == 1)
    return list ? std::optional(list->front()) : std::nullopt;
  context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) +
                ") must have one element, it is " + context.input(i).str());
  return std::nullopt;
}

std::vector<TensorType> inferTrilu(InferenceContext &context) {
  const TensorType &input = context.input(0);
  if (input.shape.size() < 2) {
    context.error("Trilu needs matrices, the input is " + input.str());
    return {};
  }
  if (context.hasInput(1) && !requiredInteger(context, 1, "k"))
    return {};
  return {input};
}

void lowerTrilu(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  bool isUpper = c.integer("upper") != 0;
  // Beyond the matrix, all diagonals are the same.
  int64_t maxDiagonal = type.getDimSize(type.getRank() - 1) + type.getDimSize(type.getRank() - 2);
  int64_t k =
      c.hasInput(1) ? std::clamp(*requiredInteger(c, 1, "k"), -maxDiagonal, maxDiagonal) : 0;
  c.setResult(
      c.movedElements(type, c.operand(0), [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
        Value row = linalg::IndexOp::create(b, loc, type.getRank() - 2);
        Value column = linalg::IndexOp::create(b, loc, type.getRank() - 1);
        Value limit = arith::AddIOp::create(b, loc, row, arith::ConstantIndexOp::create(b, loc, k));
        auto relation = isUpper ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
        Value isKept = arith::CmpIOp::create(b, loc, relation, column, limit);
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x[0].getType()));
        return arith::SelectOp::create(b, loc, isKept, x[0], zero);
      }));
}

/// OneHot's depth, which may be a real number that is whole.
std::optional<int64_t> depthOf(const InferenceContext &context) {
  auto reals = context.constantReals(1);
  if (reals && reals->size() == 1 && std::abs(reals->front()) < 0x1p31 &&
      reals->front() == std::trunc(reals->front()))
    return static_cast<int64_t>(reals->front());
  return requiredInteger(context, 1, "depth");
}

std::vector<TensorType> inferOneHot(InferenceContext &context) {
  const TensorType &indices = context.input(0), &values = context.input(2);
  auto depth = depthOf(context);
  auto axis = depth ? normalizeAxis(context, context.integer("axis"), indices.shape.size() + 1)
                    : std::nullopt;
  if (!axis)
    return {};
  if (*depth < 0 || values.shape != std::vector<int64_t>{2}) {
    context.error("OneHot needs a depth from 0 on and two values, off and on; they are " +
                  std::to_string(*depth) + " and " + values.str());
    return {};
  }
  TensorType result{values.element, indices.shape};
  result.shape.insert(result.shape.begin() + *axis, *depth);
  return {result};
}

void lowerOneHot(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  int64_t depth = type.getDimSize(axis);
  Value values = c.operand(2);
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 1;
  SmallVector<AffineExpr> others;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != axis)
      others.push_back(c.b.getAffineDimExpr(d));
  AffineMap map = AffineMap::get(type.getRank(), 0, others, c.b.getContext());
  // Read once, in front of the loops.
  auto value = [&](int64_t i) -> Value {
    Value position = arith::ConstantIndexOp::create(c.b, c.loc, i);
    return tensor::ExtractOp::create(c.b, c.loc, values, position);
  };
  Value off = value(0), on = value(1);
  c.setResult(c.indexed(
      type, c.operand(0), map,
      [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) -> Value {
        Type index = scalars[0].getType();
        auto number = [&](int64_t n) {
          return arith::ConstantOp::create(b, loc, b.getIntegerAttr(index, n));
        };
        Value isNegative =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, scalars[0], number(0));
        Value fromEnd = arith::AddIOp::create(b, loc, scalars[0], number(depth));
        Value fromStart = arith::SelectOp::create(b, loc, isNegative, fromEnd, scalars[0]);
        Value here = arith::IndexCastOp::create(b, loc, index, at[axis]);
        Value isHot = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, fromStart, here);
        return arith::SelectOp::create(b, loc, isHot, on, off);
      }));
}

std::vector<TensorType> inferEyeLike(InferenceContext &context) {
  const TensorType &input = context.input(0);
  std::optional<ElementType> element = input.element;
  if (context.hasAttribute("dtype"))
    element = requestedType(context, "dtype", computedTypes());
  if (input.shape.size() == 2 && element)
    return {{*element, input.shape}};
  if (element)
    context.error("EyeLike needs a matrix, the input is " + input.str());
  return {};
}

void lowerEyeLike(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  int64_t maxDiagonal = type.getDimSize(0) + type.getDimSize(1);
  int64_t diagonal = std::clamp(c.integer("k"), -maxDiagonal, maxDiagonal);
  c.setResult(
      c.indexed(type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
        Value offset = arith::ConstantIndexOp::create(b, loc, diagonal);
        Value column = arith::AddIOp::create(b, loc, at[0], offset);
        Value isOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column, at[1]);
        Type element = type.getElementType();
        Value one = arith::ConstantOp::create(b, loc, b.getOneAttr(element));
        Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
        return arith::SelectOp::create(b, loc, isOn, one, zero);
      }));
}

} // namespace

std::vector<Operator> triluOneHotEyeLikeOperators() {
  Operator trilu;
  trilu.name = "Trilu";
  trilu.summary = "matrices with zeros below (above) the diagonal with number k, a constant";
  trilu.maxInputs = 2;
  trilu.attributes = {{"upper", AttributeKind::integer, int64_t(1), false,
                       "1: the upper triangle is kept; 0: the lower one"}};
  trilu.types = allElementTypes();
  trilu.infer = inferTrilu;
  trilu.lower = lowerTrilu;

  Operator oneHot;
  oneHot.name = "OneHot";
  oneHot.summary = "for each index, `depth` elements of which that one is `on`, if there is one";
  oneHot.minInputs = oneHot.maxInputs = 3;
  oneHot.attributes = {{"axis", AttributeKind::integer, int64_t(-1), false,
                        "the result's new dimension, counted from the end if negative"}};
  oneHot.types = {ElementType::i32, ElementType::i64};
  oneHot.infer = inferOneHot;
  oneHot.lower = lowerOneHot;

  Operator eyeLike;
  eyeLike.name = "EyeLike";
  eyeLike.summary =
      "ones on the diagonal with number k of a matrix of the input's shape, else zeros";
  eyeLike.attributes = {{"k", AttributeKind::integer, int64_t(0), false,
                         "the diagonal: above the main one, below it if negative"},
                        optionalAttribute("dtype", AttributeKind::string,
                                          "the result's element type; the input's, if absent")};
  eyeLike.types = computedTypes();
  eyeLike.infer = inferEyeLike;
  eyeLike.lower = lowerEyeLike;
  return {trilu, oneHot, eyeLike};
}

} // namespace kgen
