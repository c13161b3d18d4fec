// ArgMax, ArgMin and Hardmax: where the extremum stands along an axis.
#include "dialect/kgen/NamedOps.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/reduction/ReducedMaps.h"

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
  DimBounds size = result.shape.dim(*axis).bounds();
  if (size.min == 0 || size.max > std::numeric_limits<int32_t>::max()) {
    context.error(context.node.op->name + " needs at least one element along axis " +
                  std::to_string(*axis) + (size.min ? ", and less than 2^31" : "") +
                  "; the input is " + input.str());
    return {};
  }
  if (context.integer("keepdims"))
    result.shape.setDim(*axis, 1);
  else
    result.shape.eraseDim(*axis);
  return {result};
}

/// The indices of the extrema of operand 0, in 32 bits.
Value indicesOfExtrema(LoweringContext &c, int64_t axis, bool isMax, bool isLast) {
  Value x = c.operand(0);
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return ArgExtremumOp::create(c.b, c.loc, RankedTensorType::get(shape, c.b.getI32Type()), x, axis,
                               /*minimum=*/!isMax, isLast, isUnsigned(c.input(0).element));
}

void lowerArg(LoweringContext &c, bool isMax) {
  int64_t axis =
      *normalizeAxis(c, c.integer("axis"), static_cast<int64_t>(c.input(0).shape.size()));
  Value found = indicesOfExtrema(c, axis, isMax, c.integer("select_last_index") != 0);
  auto foundType = cast<RankedTensorType>(found.getType());
  Value asI64 = c.elementwise(foundType.clone(c.b.getI64Type()), found,
                              [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                return arith::ExtSIOp::create(b, loc, b.getI64Type(), v[0]);
                              });
  c.setResult(c.withShape(asI64, c.resultShape()));
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
  op.types = floatAndIntegerTypes();
  op.infer = inferArg;
  op.symbolicDims = SymbolicDims::any();
  op.lower = [isMax](LoweringContext &c) { lowerArg(c, isMax); };
  return op;
}

std::vector<TensorType> inferHardmax(InferenceContext &context) {
  const TensorType &x = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), x.shape.size());
  if (!axis)
    return {};
  if (x.shape.dim(*axis).bounds().max <= std::numeric_limits<int32_t>::max())
    return {x};
  context.error("Hardmax along an axis of 2^31 elements or more: the input is " + x.str());
  return {};
}

void lowerHardmax(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  Value found = indicesOfExtrema(c, axis, /*isMax=*/true, /*isLast=*/false);
  ReducedMaps maps(tensorShapeOf(c.operand(0)), type.getElementType(), axis);
  Type element = type.getElementType();
  c.setResult(c.indexed(
      type, found, maps.kept, [&](OpBuilder &b, Location loc, ValueRange at, ValueRange v) {
        Value here = arith::IndexCastOp::create(b, loc, b.getI32Type(), at[axis]);
        Value isIt = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, here, v[0]);
        auto number = [&](double value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getFloatAttr(element, value));
        };
        return arith::SelectOp::create(b, loc, isIt, number(1), number(0)).getResult();
      }));
}

} // namespace

std::vector<Operator> argExtremumOperators() {
  Operator hardmax;
  hardmax.name = "Hardmax";
  hardmax.summary = "1 at the first maximum along an axis, 0 elsewhere; NaN is one";
  hardmax.attributes = {
      {"axis", AttributeKind::integer, int64_t(-1), false, "counted from the end if negative"}};
  hardmax.types = floatTypes();
  hardmax.infer = inferHardmax;
  hardmax.symbolicDims = SymbolicDims::any();
  hardmax.lower = lowerHardmax;
  return {hardmax, arg("ArgMax", "maximum", true), arg("ArgMin", "minimum", false)};
}

} // namespace kgen
