#include "dialect/kgen/GenericBuilder.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {

Value inFloatType(OpBuilder &b, Location loc, Value x, Type to) {
  Type from = x.getType();
  if (from == to)
    return x;
  if (to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, to, x);
  return arith::TruncFOp::create(b, loc, to, x);
}

/// A bf16 or f16 as an i16, everything else as it is.
static Value bitsOfNarrow(OpBuilder &b, Location loc, Value x) {
  if (!isa<BFloat16Type, Float16Type>(x.getType()))
    return x;
  return arith::BitcastOp::create(b, loc, b.getI16Type(), x);
}

Value GenericBuilder::generic(Value out, ValueRange inputs, ArrayRef<AffineMap> maps, Body body) {
  return build(out, inputs, maps, body, /*upconverts=*/true);
}

Value GenericBuilder::genericOfBits(Value out, ValueRange inputs, ArrayRef<AffineMap> maps,
                                    Body body) {
  return build(out, inputs, maps, body, /*upconverts=*/false);
}

Value GenericBuilder::filled(ArrayRef<OpFoldResult> sizes, TypedAttr value) {
  Value element = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, element, emptyTensor(b, loc, sizes, value.getType()))
      .getResult(0);
}

Value GenericBuilder::build(Value out, ValueRange inputs, ArrayRef<AffineMap> maps, Body body,
                            bool upconverts) {
  assert(maps.size() == inputs.size() + 1);
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr used : maps.back().getResults())
    iterators[cast<AffineDimExpr>(used).getPosition()] = utils::IteratorType::parallel;
  auto fill = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    Type element = getElementTypeOrSelf(out.getType());
    SmallVector<Value> prepared;
    for (Value scalar : scalars.drop_back())
      prepared.push_back(upconverts
                             ? inFloatType(inner, at, scalar, accumulatorOf(scalar.getType()))
                             : bitsOfNarrow(inner, at, scalar));
    prepared.push_back(scalars.back());
    Value result = body(inner, at, prepared);
    if (upconverts)
      result = inFloatType(inner, at, result, element);
    else if (result.getType() != element)
      result = arith::BitcastOp::create(inner, at, element, result);
    linalg::YieldOp::create(inner, at, result);
  };
  auto made = linalg::GenericOp::create(b, loc, out.getType(), inputs, out, maps, iterators, fill);
  // Upstream gives them the locations of the operands: other nodes did no work here.
  for (BlockArgument argument : made.getBody()->getArguments())
    argument.setLoc(loc);
  return made.getResult(0);
}

ReducedSpace::ReducedSpace(OpBuilder &b, Location loc, Value tensor,
                           llvm::function_ref<bool(int64_t)> isReduced)
    : sizes(sizesOf(b, loc, tensor)),
      compute(accumulatorOf(getElementTypeOrSelf(tensor.getType()))) {
  SmallVector<AffineExpr> dims;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (isReduced(static_cast<int64_t>(d))) {
      reducedSizes.push_back(size);
    } else {
      dims.push_back(b.getAffineDimExpr(d));
      keptSizes.push_back(size);
    }
  full = b.getMultiDimIdentityMap(sizes.size());
  kept = AffineMap::get(sizes.size(), 0, dims, b.getContext());
}

ReducedCount::ReducedCount(OpBuilder &b, Location loc, const ReducedSpace &space) {
  AffineExpr product = b.getAffineConstantExpr(1);
  for (unsigned d = 0; d < space.reducedSizes.size(); ++d)
    product = product * b.getAffineSymbolExpr(d);
  auto map = AffineMap::get(0, space.reducedSizes.size(), product);
  OpFoldResult count = affine::makeComposedFoldedAffineApply(b, loc, map, space.reducedSizes);
  if (std::optional<int64_t> size = getConstantIntValue(count)) {
    number = b.getFloatAttr(space.compute, static_cast<double>(*size));
    return;
  }
  Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), cast<Value>(count));
  value = arith::SIToFPOp::create(b, loc, space.compute, integer);
}

Value ReducedCount::operator()(OpBuilder &b, Location loc) const {
  return value ? value : arith::ConstantOp::create(b, loc, number).getResult();
}

} // namespace kgen
