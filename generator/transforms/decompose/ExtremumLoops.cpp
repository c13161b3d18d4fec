// The index of an extremum: first the extremum, then the smallest (largest) index at which it is
// found. Both go over vectors, block by block where caches keep no more.
#include "transforms/decompose/NamedOpLoops.h"

#include "dialect/kgen/AxisSlices.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

/// The index of a loop, in 32 bits.
Value indexOf(OpBuilder &b, Location loc, int64_t loop) {
  Value index = linalg::IndexOp::create(b, loc, loop);
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
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

/// Builds the loops of one operation.
class Search {
public:
  Search(OpBuilder &b, ArgExtremumOp op)
      : build(b, op.getLoc()), b(b), loc(op.getLoc()), op(op), axis(op.getDimensions().front()),
        none(op.startOfIndex()) {}

  Value lower();

  std::string form; ///< what was chosen

private:
  using Maps = ArrayRef<AffineMap>;

  ReducedSpace along(Value x, int64_t loop) {
    return ReducedSpace(b, loc, x, [loop](int64_t d) { return d == loop; });
  }
  Value extremum(Value x, const ReducedSpace &space);
  /// The smallest (largest) index of the extrema, in 32 bits; `none` where there is none. `index`
  /// builds an element's index from the inputs after x and its extremum.
  Value indicesWhere(ValueRange inputs, Maps maps, const ReducedSpace &space,
                     GenericBuilder::Body index);
  Value inBlocks(int64_t length);

  GenericBuilder build;
  OpBuilder &b;
  Location loc;
  ArgExtremumOp op;
  int64_t axis;
  TypedAttr none;
};

Value Search::extremum(Value x, const ReducedSpace &space) {
  auto combine = op.getMinimum() ? tpp::scalar::minimum : tpp::scalar::maximum;
  bool isUnsigned = op.getIsUnsigned();
  return build.generic(
      build.filled(space.keptSizes, op.startOfExtremum()), x, {space.full, space.kept},
      [=](OpBuilder &b, Location loc, ValueRange v) { return combine(b, loc, v, isUnsigned); });
}

Value Search::indicesWhere(ValueRange inputs, Maps maps, const ReducedSpace &space,
                           GenericBuilder::Body index) {
  bool isLast = op.getLast();
  return build.generic(build.filled(space.keptSizes, none), inputs, maps,
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Value otherwise = arith::ConstantOp::create(b, loc, none);
                         Value candidate = arith::SelectOp::create(
                             b, loc, tpp::scalar::isExtremum(b, loc, v.take_front(2)),
                             index(b, loc, v.drop_front(2)), otherwise);
                         if (isLast)
                           return arith::MaxSIOp::create(b, loc, candidate, v.back());
                         return arith::MinSIOp::create(b, loc, candidate, v.back());
                       });
}

/// In one pass over what no cache keeps: of blocks, and then of the blocks' own.
Value Search::inBlocks(int64_t length) {
  Value blocks = expandedInBlocks(b, loc, op.getInput(), axis, length);
  ReducedSpace inBlocks = along(blocks, axis + 1);
  Value extrema = extremum(blocks, inBlocks);
  Value found =
      indicesWhere({blocks, extrema}, {inBlocks.full, inBlocks.kept, inBlocks.kept}, inBlocks,
                   [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                     Value start = arith::MulIOp::create(
                         b, loc, indexOf(b, loc, axis),
                         arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(length)));
                     return arith::AddIOp::create(b, loc, start, indexOf(b, loc, axis + 1));
                   });
  auto extremaType = cast<RankedTensorType>(extrema.getType());
  Type element = extremaType.getElementType();
  Type bits = b.getIntegerType(std::max(32U, element.getIntOrFloatBitWidth()));
  AffineMap all = b.getMultiDimIdentityMap(extremaType.getRank());
  auto as = [&](Value value, Type to, auto convert) -> Value {
    Value out = emptyTensor(b, loc, sizesOf(b, loc, value), to);
    return build.generic(out, value, {all, all},
                         [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           return convert(b, loc, v[0], to);
                         });
  };
  auto [first, second] =
      sideBySide(b, loc, as(extrema, bits, toInteger), as(found, bits, toInteger), axis + 1);
  extrema = as(first, element, fromInteger);
  found = as(second, b.getI32Type(), fromInteger);
  ReducedSpace outer = along(extrema, axis);
  return indicesWhere({extrema, extremum(extrema, outer), found},
                      {outer.full, outer.kept, outer.full, outer.kept}, outer,
                      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

Value Search::lower() {
  RankedTensorType type = op.getInputType();
  AxisShape shape = axisShapeOf(type, axis);
  // Blocks are equal, which those of symbolic shapes are not always.
  bool isWhole = !type.hasStaticShape() || fitsIntoCaches(cpuOf(op), shape, /*areReadAgain=*/false);
  if (int64_t length = isWhole ? 0 : blockLength(shape)) {
    form = "extrema of blocks of " + std::to_string(length) + " elements";
    return inBlocks(length);
  }
  form = "a loop over the extremum, one over its index";
  ReducedSpace space = along(op.getInput(), axis);
  Value extrema = extremum(op.getInput(), space);
  return indicesWhere(
      {op.getInput(), extrema}, {space.full, space.kept, space.kept}, space,
      [&](OpBuilder &b, Location loc, ValueRange) { return indexOf(b, loc, axis); });
}

} // namespace

DecomposedOp buildArgExtremum(OpBuilder &b, ArgExtremumOp op) {
  Search search(b, op);
  Value made = search.lower();
  return {{made}, search.form};
}

} // namespace kgen
