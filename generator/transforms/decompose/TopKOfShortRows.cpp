// kgen.top_k along a short axis: each of the k elements is searched for among those after the one
// before.
#include "transforms/decompose/Reordered.h"
#include "transforms/decompose/TopKLoops.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using namespace top_k;

/// Works on vectors across rows. The tensor is [elements of the axis, other dimensions...], and so
/// is what is found.
class ShortSelection {
public:
  ShortSelection(OpBuilder &b, TopKOp op)
      : b(b), loc(op.getLoc()), op(op), build(b, loc),
        k(op.getResultType().getDimSize(op.getDimensions().front())), order(firstOrder(op)),
        x(reordered(b, loc, op.getInput(), order)), type(cast<RankedTensorType>(x.getType())),
        space(b, loc, x, [](int64_t d) { return d == 0; }) {}

  SmallVector<Value> lower();

private:
  static SmallVector<int64_t> firstOrder(TopKOp op) {
    SmallVector<int64_t> order{op.getDimensions().front()};
    for (int64_t d = 0; d < op.getInputType().getRank(); ++d)
      if (!op.isAlong(d))
        order.push_back(d);
    return order;
  }
  Value found(Value keys);
  Value nextKey(Value keys, Value lastKey, Value lastIndex);
  Value nextIndex(Value keys, Value lastKey, Value lastIndex, Value key);
  Value elementwise(Type element, Value from, GenericBuilder::Body body) {
    AffineMap all = b.getMultiDimIdentityMap(type.getRank());
    return build.generic(emptyLike(b, loc, from, element), from, {all, all}, body);
  }

  OpBuilder &b;
  Location loc;
  TopKOp op;
  GenericBuilder build;
  int64_t k;
  SmallVector<int64_t> order; ///< of dimensions, the axis first
  Value x;
  RankedTensorType type;
  ReducedSpace space;
};

SmallVector<Value> ShortSelection::lower() {
  SmallVector<int64_t> back = inverted(order);
  Value keys =
      elementwise(keyType(type.getElementType()), x, [&](OpBuilder &b, Location loc, ValueRange v) {
        return keyOf(op, b, loc, v[0]);
      });
  Value indices = found(keys);
  Value values = elementwise(type.getElementType(), indices,
                             [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                               SmallVector<Value> at;
                               for (int64_t d = 0; d < type.getRank(); ++d)
                                 at.push_back(linalg::IndexOp::create(b, loc, d));
                               at[0] = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
                               return tensor::ExtractOp::create(b, loc, x, at);
                             });
  SmallVector<Value> results{reordered(b, loc, values, back)};
  if (op.getIndices())
    results.push_back(reordered(b, loc,
                                elementwise(b.getI64Type(), indices,
                                            [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                              return arith::ExtSIOp::create(b, loc, b.getI64Type(),
                                                                            v[0]);
                                            }),
                                back));
  return results;
}

/// Returns true if an element, whose key is v[0], comes after the last one that was found: v[1] is
/// its key, v[2] its index.
Value isBehind(OpBuilder &b, Location loc, ValueRange v) {
  Value later = arith::AndIOp::create(b, loc, compare(b, loc, Order::eq, v[0], v[1]),
                                      compare(b, loc, Order::sgt, here(b, loc, 0), v[2]));
  return arith::OrIOp::create(b, loc, compare(b, loc, Order::slt, v[0], v[1]), later);
}

Value ShortSelection::nextKey(Value keys, Value lastKey, Value lastIndex) {
  Type element = getElementTypeOrSelf(keys.getType());
  APInt lowest = APInt::getSignedMinValue(element.getIntOrFloatBitWidth());
  return build.generic(build.filled(space.keptSizes, b.getIntegerAttr(element, lowest)),
                       {keys, lastKey, lastIndex}, {space.full, space.kept, space.kept, space.kept},
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Value none = number(b, loc, element, lowest);
                         Value candidate =
                             arith::SelectOp::create(b, loc, isBehind(b, loc, v), v[0], none);
                         return arith::MaxSIOp::create(b, loc, candidate, v[3]);
                       });
}

Value ShortSelection::nextIndex(Value keys, Value lastKey, Value lastIndex, Value key) {
  Type i32 = b.getI32Type();
  return build.generic(
      build.filled(space.keptSizes, b.getI32IntegerAttr(nowhere)), {keys, lastKey, lastIndex, key},
      {space.full, space.kept, space.kept, space.kept, space.kept},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value none = number(b, loc, i32, APInt(32, nowhere));
        Value isIt = arith::AndIOp::create(b, loc, isBehind(b, loc, v),
                                           compare(b, loc, Order::eq, v[0], v[3]));
        Value candidate = arith::SelectOp::create(b, loc, isIt, here(b, loc, 0), none);
        return arith::MinSIOp::create(b, loc, candidate, v[4]);
      });
}

/// The indices of the first k elements, one pass for each.
Value ShortSelection::found(Value keys) {
  Type element = getElementTypeOrSelf(keys.getType());
  SmallVector<OpFoldResult> all{b.getIndexAttr(k + 1)};
  llvm::append_range(all, space.keptSizes);
  ArrayRef<int64_t> kept = type.getShape().drop_front();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // Row 0 comes before all elements.
  APInt highest = APInt::getSignedMaxValue(element.getIntOrFloatBitWidth());
  SmallVector<Value> start{build.filled(all, b.getIntegerAttr(element, highest)),
                           build.filled(all, b.getI32IntegerAttr(-1))};
  auto loop = scf::ForOp::create(b, loc, index(0), index(k), index(1), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    TensorSlice row(SmallVector<OpFoldResult>(all.size(), b.getIndexAttr(0)), all);
    row.offsets[0] = loop.getInductionVar();
    row.sizes[0] = b.getIndexAttr(1);
    Value foundKeys = loop.getRegionIterArg(0), foundIndices = loop.getRegionIterArg(1);
    Value lastKey = extract(b, loc, foundKeys, row, kept);
    Value lastIndex = extract(b, loc, foundIndices, row, kept);
    Value key = nextKey(keys, lastKey, lastIndex);
    Value at = nextIndex(keys, lastKey, lastIndex, key);
    row.offsets[0] = arith::AddIOp::create(b, loc, loop.getInductionVar(), index(1)).getResult();
    foundKeys = insert(b, loc, key, foundKeys, row);
    foundIndices = insert(b, loc, at, foundIndices, row);
    scf::YieldOp::create(b, loc, ValueRange{foundKeys, foundIndices});
  }
  TensorSlice found(SmallVector<OpFoldResult>(all.size(), b.getIndexAttr(0)), all);
  found.offsets[0] = b.getIndexAttr(1);
  found.sizes[0] = b.getIndexAttr(k);
  return extract(b, loc, loop.getResult(1), found);
}

} // namespace

DecomposedOp buildTopKOfShortRows(OpBuilder &b, TopKOp op) {
  return {ShortSelection(b, op).lower(), "a pass for each element that is found, vectors of rows"};
}

} // namespace kgen
