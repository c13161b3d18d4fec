// kgen.cumulative_sum by definition: a loop over the dimension, of all other elements at a time.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

FailureOr<SmallVector<Value>> CumulativeSumOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  GenericBuilder build(b, loc);
  int64_t axis = getDimensions().front();
  ReducedSpace space(b, loc, getInput(), [&](int64_t d) { return d == axis; });
  Type element = getInputType().getElementType();
  Value zeros = build.filled(space.keptSizes, b.getZeroAttr(space.compute));
  auto sliceType = cast<RankedTensorType>(zeros.getType());
  AffineMap all = b.getMultiDimIdentityMap(sliceType.getRank());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value count = getValueOrCreateConstantIndexOp(b, loc, space.sizes[axis]);
  Value whole = emptyTensor(b, loc, space.sizes, element);
  auto step = [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
    GenericBuilder build(b, loc);
    if (getReverse())
      i = arith::SubIOp::create(b, loc, arith::SubIOp::create(b, loc, count, i), constant(1));
    TensorSlice slice;
    slice.offsets.assign(space.sizes.size(), b.getIndexAttr(0));
    slice.sizes = space.sizes;
    slice.offsets[axis] = i;
    slice.sizes[axis] = b.getIndexAttr(1);
    Value sums = build.generic(carried[1], extract(b, loc, getInput(), slice, sliceType.getShape()),
                               {all, all}, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                 if (isa<FloatType>(v[0].getType()))
                                   return arith::AddFOp::create(b, loc, v[1], v[0]);
                                 return arith::AddIOp::create(b, loc, v[1], v[0]);
                               });
    Value written = getExclusive() ? carried[1] : sums;
    if (element != space.compute)
      written = build.generic(emptyTensor(b, loc, space.keptSizes, element), written, {all, all},
                              [](OpBuilder &, Location, ValueRange v) { return v[0]; });
    scf::YieldOp::create(b, loc, ValueRange{insert(b, loc, written, carried[0], slice), sums});
  };
  auto loop =
      scf::ForOp::create(b, loc, constant(0), count, constant(1), ValueRange{whole, zeros}, step);
  return SmallVector<Value>{loop.getResult(0)};
}

} // namespace kgen
