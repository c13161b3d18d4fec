// TopK along a short axis: each of the k elements is searched for among those after the one before.
#include "ops/StridedSlice.h"
#include "ops/reduction/ReducedMaps.h"
#include "ops/reduction/TopK.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using namespace top_k;

/// Lowers TopK along a short axis with vectors across rows. Each of the k elements is searched for
/// among those after the one before. The tensor is [elements of the axis, other
/// dimensions...], and so is what is found.
class ShortSelection {
public:
  ShortSelection(LoweringContext &c, int64_t axis)
      : c(c), k(c.resultType().shape[axis]), order(firstOrder(c, axis)),
        x(transposed(c.b, c.loc, c.operand(0), order)), type(cast<RankedTensorType>(x.getType())),
        maps(type, 0) {}

  void lower() {
    Value keys = c.elementwise(
        type.clone(keyType(type.getElementType())), x,
        [&](OpBuilder &b, Location loc, ValueRange v) { return keyOf(c, b, loc, v[0]); });
    Value indicesFound = found(keys);
    RankedTensorType result = cast<RankedTensorType>(indicesFound.getType());
    setResult(c.indexed(result.clone(type.getElementType()), indicesFound,
                        c.b.getMultiDimIdentityMap(type.getRank()),
                        [&](OpBuilder &b, Location loc, ValueRange at, ValueRange scalars) {
                          SmallVector<Value> subscripts(at);
                          subscripts[0] =
                              arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[0]);
                          return tensor::ExtractOp::create(b, loc, x, subscripts).getResult();
                        }),
              0);
    if (c.hasResult(1))
      setResult(c.elementwise(result.clone(c.b.getI64Type()), indicesFound,
                              [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                return arith::ExtSIOp::create(b, loc, b.getI64Type(), v[0]);
                              }),
                1);
  }

private:
  static SmallVector<int64_t> firstOrder(const LoweringContext &c, int64_t axis) {
    SmallVector<int64_t> order{axis};
    for (int64_t d = 0; d < c.resultTensor().getRank(); ++d)
      if (d != axis)
        order.push_back(d);
    return order;
  }
  void setResult(Value value, size_t i) {
    SmallVector<int64_t> back(order.size());
    for (auto [position, d] : llvm::enumerate(order))
      back[d] = position;
    c.setResult(transposed(c.b, c.loc, value, back), i);
  }
  Value found(Value keys);

  LoweringContext &c;
  int64_t k;
  SmallVector<int64_t> order; ///< of dimensions, the axis first
  Value x;
  RankedTensorType type;
  ReducedMaps maps;
};

/// Returns true if an element, whose key is v[0], comes after the last one that was found: v[1] is
/// its key, v[2] its index.
Value isBehind(OpBuilder &b, Location loc, ValueRange v) {
  Value later = arith::AndIOp::create(b, loc, compare(b, loc, Order::eq, v[0], v[1]),
                                      compare(b, loc, Order::sgt, here(b, loc, 0), v[2]));
  return arith::OrIOp::create(b, loc, compare(b, loc, Order::slt, v[0], v[1]), later);
}

/// The indices of the first k elements, one pass for each.
Value ShortSelection::found(Value keys) {
  OpBuilder &b = c.b;
  Type element = getElementTypeOrSelf(keys.getType()), i32 = b.getI32Type();
  unsigned width = element.getIntOrFloatBitWidth();
  APInt lowest = APInt::getSignedMinValue(width), highest = APInt::getSignedMaxValue(width);
  RankedTensorType keyType = maps.type.clone(element), indexType = maps.type.clone(i32);
  SmallVector<int64_t> all{k + 1};
  llvm::append_range(all, indexType.getShape());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, c.loc, value);
  };

  // Row 0 comes before all elements.
  RankedTensorType rowsOfKeys = keyType.clone(all), rowsOfIndices = indexType.clone(all);
  SmallVector<Value> start{c.filledWith(rowsOfKeys, b.getIntegerAttr(element, highest)),
                           c.filled(rowsOfIndices, -1.0)};
  auto loop = scf::ForOp::create(b, c.loc, index(0), index(k), index(1), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<OpFoldResult> offset(all.size(), b.getIndexAttr(0));
    SmallVector<int64_t> row = all;
    offset[0] = loop.getInductionVar();
    row[0] = 1;
    Value foundKeys = loop.getRegionIterArg(0), indicesFound = loop.getRegionIterArg(1);
    Value lastKey = extractSlice(b, c.loc, foundKeys, offset, row, keyType.getShape());
    Value lastIndex = extractSlice(b, c.loc, indicesFound, offset, row, indexType.getShape());
    Value key = c.generic(c.filledWith(keyType, b.getIntegerAttr(element, lowest)),
                          {keys, lastKey, lastIndex}, {maps.full, maps.kept, maps.kept, maps.kept},
                          [&](OpBuilder &inside, Location loc, ValueRange v) -> Value {
                            Value none = number(inside, loc, element, lowest);
                            Value candidate = arith::SelectOp::create(
                                inside, loc, isBehind(inside, loc, v), v[0], none);
                            return arith::MaxSIOp::create(inside, loc, candidate, v[3]);
                          });
    Value nextIndex =
        c.generic(c.filled(indexType, nowhere), {keys, lastKey, lastIndex, key},
                  {maps.full, maps.kept, maps.kept, maps.kept, maps.kept},
                  [&](OpBuilder &inside, Location loc, ValueRange v) -> Value {
                    Value none = number(inside, loc, i32, APInt(32, nowhere));
                    Value isIt = arith::AndIOp::create(inside, loc, isBehind(inside, loc, v),
                                                       compare(inside, loc, Order::eq, v[0], v[3]));
                    Value candidate =
                        arith::SelectOp::create(inside, loc, isIt, here(inside, loc, 0), none);
                    return arith::MinSIOp::create(inside, loc, candidate, v[4]);
                  });
    offset[0] = arith::AddIOp::create(b, c.loc, loop.getInductionVar(), index(1)).getResult();
    foundKeys = insertSlice(b, c.loc, foundKeys, key, offset, row);
    indicesFound = insertSlice(b, c.loc, indicesFound, nextIndex, offset, row);
    scf::YieldOp::create(b, c.loc, ValueRange{foundKeys, indicesFound});
  }
  SmallVector<int64_t> behindFirst(all.size(), 0);
  behindFirst[0] = 1;
  all[0] = k;
  return extractSlice(b, c.loc, loop.getResult(1), behindFirst, all);
}

} // namespace

void lowerTopKOfShortRows(LoweringContext &c, int64_t axis) { ShortSelection(c, axis).lower(); }

} // namespace kgen
