// ArgMax and ArgMin: where the extremum stands along an axis. First the extremum, then the smallest
// (largest) index at which it is found; both go over vectors.
#include "dialect/tpp/Scalars.h"
#include "ops/ReducedMaps.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferArg(InferenceContext &context) {
  const TensorType &input = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), input.shape.size());
  if (!axis)
    return {};
  TensorType result{ElementType::i64, input.shape};
  int64_t size = result.shape[*axis];
  if (size == 0 || size > std::numeric_limits<int32_t>::max()) {
    context.error(context.node.op->name + " needs at least one element along axis " +
                  std::to_string(*axis) + (size ? ", and less than 2^31" : "") + "; the input is " +
                  input.str());
    return {};
  }
  if (context.integer("keepdims"))
    result.shape[*axis] = 1;
  else
    result.shape.erase(result.shape.begin() + *axis);
  return {result};
}

/// Whether x is the extremum. NaN is one, wherever there is any.
Value isExtremum(OpBuilder &b, mlir::Location loc, Value x, Value extremum) {
  if (isa<IntegerType>(x.getType()))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, extremum);
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, extremum);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  return arith::OrIOp::create(b, loc, equal, isNaN);
}

void lowerArg(LoweringContext &c, bool isMax) {
  Value x = c.operand(0);
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  bool last = c.integer("select_last_index") != 0;
  ReducedMaps maps(type, axis);
  Type element = maps.type.getElementType();
  auto width = element.getIntOrFloatBitWidth();
  TypedAttr start;
  if (isa<FloatType>(element))
    start = c.b.getFloatAttr(element, (isMax ? -1 : 1) * std::numeric_limits<double>::infinity());
  else
    start = IntegerAttr::get(element, isMax ? APInt::getSignedMinValue(width)
                                            : APInt::getSignedMaxValue(width));
  Value extremum = c.generic(c.filledWith(maps.type, start), x, {maps.full, maps.kept},
                             [&](OpBuilder &b, mlir::Location loc, ValueRange v) {
                               return (isMax ? tpp::scalar::max : tpp::scalar::min)(b, loc, v);
                             });

  // Signed numbers of 32 bits: the index along the axis, or one beyond both ends.
  Type i32 = c.b.getI32Type();
  RankedTensorType places = maps.type.clone(i32);
  int64_t none = last ? -1 : std::numeric_limits<int32_t>::max();
  Value found = c.generic(
      c.filled(places, static_cast<double>(none)), {x, extremum}, {maps.full, maps.kept, maps.kept},
      [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
        Value index = linalg::IndexOp::create(b, loc, axis);
        Value place = arith::IndexCastOp::create(b, loc, i32, index);
        Value otherwise = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(none));
        Value candidate =
            arith::SelectOp::create(b, loc, isExtremum(b, loc, v[0], v[1]), place, otherwise);
        if (last)
          return arith::MaxSIOp::create(b, loc, candidate, v[2]);
        return arith::MinSIOp::create(b, loc, candidate, v[2]);
      });
  Value wide = c.elementwise(places.clone(c.b.getI64Type()), found,
                             [](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                               return arith::ExtSIOp::create(b, loc, b.getI64Type(), v[0]);
                             });
  c.setResult(c.reshape(wide, c.resultTensor().getShape()));
}

Operator arg(std::string name, std::string what, bool isMax) {
  Operator op;
  op.name = std::move(name);
  op.summary = "index of the " + std::move(what) + " along an axis; NaN is one, the first counts";
  op.attributes = {
      {"axis", AttributeKind::integer, int64_t(0), false, "counted from the end if negative"},
      {"keepdims", AttributeKind::integer, int64_t(1), false, "0: the axis vanishes"},
      {"select_last_index", AttributeKind::integer, int64_t(0), false,
       "1: the last one counts instead of the first"}};
  op.types = floatAndSignedTypes();
  op.infer = inferArg;
  op.lower = [isMax](LoweringContext &c) { lowerArg(c, isMax); };
  return op;
}

} // namespace

std::vector<Operator> argExtremumOperators() {
  return {arg("ArgMax", "maximum", true), arg("ArgMin", "minimum", false)};
}

} // namespace kgen
