// ArgMax, ArgMin and Hardmax: where the extremum stands along an axis. First the extremum, then the
// smallest (largest) index at which it is found; both go over vectors, block by block where caches
// keep no more.
#include "dialect/kgen/AxisSlices.h"
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
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

/// An extremum along one axis and where it stands.
class Search {
public:
  Search(LoweringContext &c, bool isMax, bool isLast)
      : c(c), isMax(isMax), isLast(isLast),
        none(isLast ? -1 : std::numeric_limits<int32_t>::max()) {}

  Value extremum(Value x, const ReducedMaps &maps) const;
  APInt limit(unsigned width) const;

  /// The smallest (largest) index of the extrema, in 32 bits; out of bounds where there is none.
  /// `indexOf` computes an element's index from the inputs after x and its extremum.
  Value indicesWhere(ValueRange inputs, ArrayRef<AffineMap> maps, const ReducedMaps &reduced,
                     const LoweringContext::Body &indexOf) const;

  Value along(Value x, RankedTensorType type, int64_t axis) const;
  Value inBlocks(Value x, RankedTensorType type, int64_t axis, int64_t length) const;

private:
  LoweringContext &c;
  bool isMax, isLast;
  int64_t none;
};

/// Returns what no integer of the input's type is less (more) than.
APInt Search::limit(unsigned width) const {
  if (isUnsigned(c.input(0).element))
    return isMax ? APInt::getZero(width) : APInt::getMaxValue(width);
  return isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width);
}

Value Search::extremum(Value x, const ReducedMaps &maps) const {
  Type element = maps.type.getElementType();
  auto width = element.getIntOrFloatBitWidth();
  TypedAttr start;
  if (isa<FloatType>(element))
    start = c.b.getFloatAttr(element, (isMax ? -1 : 1) * std::numeric_limits<double>::infinity());
  else
    start = IntegerAttr::get(element, limit(width));
  return c.generic(c.filledWith(maps.shape, start), x, {maps.full, maps.kept},
                   [&](OpBuilder &b, Location loc, ValueRange v) {
                     return (isMax ? maximum : minimum)(b, loc, v, isUnsigned(c.input(0).element));
                   });
}

Value Search::indicesWhere(ValueRange inputs, ArrayRef<AffineMap> maps, const ReducedMaps &reduced,
                           const LoweringContext::Body &indexOf) const {
  Value start = c.filled(reduced.shape, c.b.getI32Type(), static_cast<double>(none));
  return c.generic(start, inputs, maps, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value otherwise = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(none));
    Value candidate =
        arith::SelectOp::create(b, loc, tpp::scalar::isExtremum(b, loc, v.take_front(2)),
                                indexOf(b, loc, v.drop_front(2)), otherwise);
    if (isLast)
      return arith::MaxSIOp::create(b, loc, candidate, v.back());
    return arith::MinSIOp::create(b, loc, candidate, v.back());
  });
}

/// The index of a loop, in 32 bits.
Value indexOf(OpBuilder &b, Location loc, int64_t loop) {
  Value index = linalg::IndexOp::create(b, loc, loop);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
}

Value Search::along(Value x, RankedTensorType type, int64_t axis) const {
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(), axis);
  return indicesWhere(
      {x, extremum(x, maps)}, {maps.full, maps.kept, maps.kept}, maps,
      [&](OpBuilder &b, Location loc, ValueRange) { return indexOf(b, loc, axis); });
}

/// The bits of numbers as an integer of that width, and back.
Value toInteger(OpBuilder &b, Location loc, Value x, Type integer) {
  if (isa<FloatType>(x.getType()))
    x = arith::BitcastOp::create(b, loc, b.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
  return x.getType() == integer ? x : arith::ExtUIOp::create(b, loc, integer, x).getResult();
}

Value fromInteger(OpBuilder &b, Location loc, Value bits, Type element) {
  Type own = b.getIntegerType(element.getIntOrFloatBitWidth());
  if (own != bits.getType())
    bits = arith::TruncIOp::create(b, loc, own, bits);
  return own == element ? bits : arith::BitcastOp::create(b, loc, element, bits).getResult();
}

/// In one pass over what no cache keeps: of blocks, and then of the blocks' own.
Value Search::inBlocks(Value x, RankedTensorType type, int64_t axis, int64_t length) const {
  SmallVector<int64_t> shape = inBlocksOf(type, axis, length);
  ReducedMaps inBlocks(type.clone(shape), axis + 1);
  ReducedMaps blockMaps(inBlocks.type, axis);
  Value blocks = c.reshape(x, shape);
  Value extrema = extremum(blocks, inBlocks);
  Value found =
      indicesWhere({blocks, extrema}, {inBlocks.full, inBlocks.kept, inBlocks.kept}, inBlocks,
                   [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                     Value start = arith::MulIOp::create(
                         b, loc, indexOf(b, loc, axis),
                         arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(length)));
                     return arith::AddIOp::create(b, loc, start, indexOf(b, loc, axis + 1));
                   });
  Type element = inBlocks.type.getElementType();
  Type bits = c.b.getIntegerType(std::max(32U, element.getIntOrFloatBitWidth()));
  auto as = [&](Value value, Type to, auto convert) -> Value {
    return c.elementwise(inBlocks.type.clone(to), value,
                         [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           return convert(b, loc, v[0], to);
                         });
  };
  auto [first, second] =
      sideBySide(c.b, c.loc, as(extrema, bits, toInteger), as(found, bits, toInteger), axis + 1);
  extrema = as(first, element, fromInteger);
  found = as(second, c.b.getI32Type(), fromInteger);
  return indicesWhere({extrema, extremum(extrema, blockMaps), found},
                      {blockMaps.full, blockMaps.kept, blockMaps.full, blockMaps.kept}, blockMaps,
                      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

/// The indices of the extrema of operand 0, in 32 bits.
Value indicesOfExtrema(LoweringContext &c, int64_t axis, bool isMax, bool isLast) {
  Value x = c.operand(0);
  auto type = cast<RankedTensorType>(x.getType());
  // Blocks are equal, which those of symbolic shapes are not always.
  bool isWhole = !type.hasStaticShape() ||
                 fitsIntoCaches(c.cpu(), axisShapeOf(type, axis), /*areReadAgain=*/false);
  int64_t length = isWhole ? 0 : blockLength(axisShapeOf(type, axis));
  Search search(c, isMax, isLast);
  return length ? search.inBlocks(x, type, axis, length) : search.along(x, type, axis);
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
