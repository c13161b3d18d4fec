// TopK along a long axis: one after another is found among the first ones of blocks of a row.
#include "costmodel/TaskTiles.h"
#include "ops/Axes.h"
#include "ops/StridedSlice.h"
#include "ops/reduction/TopK.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using namespace top_k;

/// Rows one after another. The tensor is [rows, elements of the axis]. Of each block of a row, the
/// first of its elements that have not been found yet is known; when it is found, its block is
/// searched for the next one.
class LongSelection {
public:
  LongSelection(LoweringContext &c, int64_t axis)
      : c(c), b(c.b), loc(c.loc), rank(c.resultTensor().getRank()), k(c.resultType().shape[axis]) {
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis)
        order.push_back(d);
    order.push_back(axis);
    x = transposed(b, loc, c.operand(0), order);
    TensorShape shape = tensorShapeOf(x);
    size = shape[rank - 1];
    rows = size ? shape.elements(0, static_cast<size_t>(rank) - 1) : 0;
    x = c.withShape(x, std::vector<Dim>{rows, size});
    key = keyType(getElementTypeOrSelf(x.getType()));
    int64_t shortest = c.cpu().heuristics.minTopKBlock;
    blockSize = size <= shortest ? size : std::max<int64_t>(shortest, 2 * ceilOfRoot(size));
    blocks = size ? llvm::divideCeil(size, blockSize) : 0;
  }

  void lower() {
    SmallVector<Value> found;
    for (size_t i = 0; i < results(); ++i)
      found.push_back(
          c.empty(TensorShape(std::vector<Dim>{rows, k}), c.resultTensor(i).getElementType()));
    if (rows != 0 && k != 0)
      found = inTasks(found);
    for (auto [i, value] : llvm::enumerate(found))
      c.setResult(movedBack(value), i);
  }

private:
  using Values = SmallVector<Value>;

  static int64_t ceilOfRoot(int64_t n) {
    int64_t root = 1;
    while (root * root < n)
      root *= 2;
    return root;
  }
  size_t results() const { return c.hasResult(1) ? 2 : 1; }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value lowestKey(OpBuilder &inside, Location at) {
    return number(inside, at, key, APInt::getSignedMinValue(key.getIntOrFloatBitWidth()));
  }
  Values buildFor(const Dim &count, ValueRange inits,
                  llvm::function_ref<Values(Value, ValueRange)> body);
  Value keysOf(Value row);
  Value largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                llvm::function_ref<Value(OpBuilder &, Location, Value)> isLeft = nullptr);
  Value firstIndex(Value keys, Value largest, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                   llvm::function_ref<Value(OpBuilder &, Location, Value)> isLeft = nullptr);
  Value indicesInRow(Value indices);
  Value firstOfBlocks(Value keys, Value indices, Value top);
  Values inTasks(ValueRange found);
  Values selectInRow(Value row, Value slot, ValueRange found);
  Value movedBack(Value found);

  LoweringContext &c;
  OpBuilder &b;
  Location loc;
  int64_t rank, k, size = 0, blockSize = 0, blocks = 0;
  Dim rows = 0;
  SmallVector<int64_t> order; ///< of dimensions, the axis last
  Value x;
  Type key;
};

/// The keys of a row as [blocks, elements]; the padding of the last block comes after all of them.
Value LongSelection::keysOf(Value row) {
  Value elements = extractSlice(b, loc, x, {row, b.getIndexAttr(0)}, {1, size}, {size});
  Value keys = c.elementwise(
      RankedTensorType::get({size}, key), elements,
      [&](OpBuilder &inside, Location at, ValueRange v) { return keyOf(c, inside, at, v[0]); });
  int64_t all = blocks * blockSize;
  if (all != size) {
    APInt none = APInt::getSignedMinValue(key.getIntOrFloatBitWidth());
    Value filled = c.filledWith(RankedTensorType::get({all}, key), b.getIntegerAttr(key, none));
    keys = insertSlice(b, loc, filled, keys, {b.getIndexAttr(0)}, {size});
  }
  return c.reshape(keys, {blocks, blockSize});
}

/// The largest keys among those for which `isLeft`.
Value LongSelection::largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                             llvm::function_ref<Value(OpBuilder &, Location, Value)> isLeft) {
  APInt none = APInt::getSignedMinValue(key.getIntOrFloatBitWidth());
  return c.generic(c.filledWith(RankedTensorType::get(shape, key), b.getIntegerAttr(key, none)),
                   keys, {maps.front(), maps.back()},
                   [&](OpBuilder &inside, Location at, ValueRange v) -> Value {
                     Value candidate = v[0];
                     if (isLeft)
                       candidate = arith::SelectOp::create(inside, at, isLeft(inside, at, v[0]),
                                                           candidate, lowestKey(inside, at));
                     return arith::MaxSIOp::create(inside, at, candidate, v[1]);
                   });
}

/// The first index in its block of each of `largest`; `nowhere` if there is none.
Value LongSelection::firstIndex(Value keys, Value largest, ArrayRef<AffineMap> maps,
                                ArrayRef<int64_t> shape,
                                llvm::function_ref<Value(OpBuilder &, Location, Value)> isLeft) {
  Type i32 = b.getI32Type();
  return c.generic(c.filled(RankedTensorType::get(shape, i32), nowhere), {keys, largest},
                   {maps.front(), maps.back(), maps.back()},
                   [&](OpBuilder &inside, Location at, ValueRange v) -> Value {
                     Value isIt = compare(inside, at, Order::eq, v[0], v[1]);
                     if (isLeft)
                       isIt = arith::AndIOp::create(inside, at, isIt, isLeft(inside, at, v[0]));
                     Value candidate = arith::SelectOp::create(
                         inside, at, isIt, here(inside, at, maps.front().getNumDims() - 1),
                         number(inside, at, i32, APInt(32, nowhere)));
                     return arith::MinSIOp::create(inside, at, candidate, v[2]);
                   });
}

/// Indices in blocks, one for each block, as indices in the row.
Value LongSelection::indicesInRow(Value indices) {
  Type i32 = b.getI32Type();
  AffineMap line = b.getMultiDimIdentityMap(1);
  return c.generic(c.empty(RankedTensorType::get({blocks}, i32)), indices, {line, line},
                   [&](OpBuilder &inside, Location at, ValueRange v) -> Value {
                     Value start =
                         arith::MulIOp::create(inside, at, here(inside, at, 0),
                                               number(inside, at, i32, APInt(32, blockSize)));
                     return arith::AddIOp::create(inside, at, v[0], start);
                   });
}

/// The smallest of the blocks' `indices` whose key is `top`.
Value LongSelection::firstOfBlocks(Value keys, Value indices, Value top) {
  Type i32 = b.getI32Type();
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, b.getContext());
  return c.generic(
      c.filled(RankedTensorType::get({}, i32), nowhere), {keys, indices, top},
      {line, line, point, point}, [&](OpBuilder &inside, Location at, ValueRange v) -> Value {
        Value candidate =
            arith::SelectOp::create(inside, at, compare(inside, at, Order::eq, v[0], v[2]), v[1],
                                    number(inside, at, i32, APInt(32, nowhere)));
        return arith::MinSIOp::create(inside, at, candidate, v[3]);
      });
}

/// The first k elements of a row, written to the slice `slot` of the results.
LongSelection::Values LongSelection::selectInRow(Value row, Value slot, ValueRange found) {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type();
  auto elementOf = [&](Value tensor, ValueRange at = {}) -> Value {
    return tensor::ExtractOp::create(b, loc, tensor, at);
  };
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, context),
            plane = b.getMultiDimIdentityMap(2), ofBlocks = plane.getMajorSubMap(1);
  Value keys = keysOf(row);
  Value tops = largest(keys, {plane, ofBlocks}, {blocks});
  Value indices = firstIndex(keys, tops, {plane, ofBlocks}, {blocks});
  Values state{tops, indicesInRow(indices)};
  llvm::append_range(state, found);
  Values result = buildFor(k, state, [&](Value step, ValueRange now) {
    Value top = largest(now[0], {line, point}, {});
    Value first = firstOfBlocks(now[0], now[1], top);
    Value topKey = elementOf(top);
    Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), elementOf(first));
    Value block = arith::DivUIOp::create(b, loc, at, index(blockSize));
    Value start = arith::MulIOp::create(b, loc, block, index(blockSize));
    Value inBlock =
        arith::IndexCastOp::create(b, loc, i32, arith::SubIOp::create(b, loc, at, start));
    // True if an element comes after the one that has just been found.
    auto isLeft = [&](OpBuilder &inside, Location where, Value element) -> Value {
      Value equal = compare(inside, where, Order::eq, element, topKey);
      Value behind = compare(inside, where, Order::sgt, here(inside, where, 0), inBlock);
      Value later = arith::AndIOp::create(inside, where, equal, behind);
      return arith::OrIOp::create(inside, where,
                                  compare(inside, where, Order::slt, element, topKey), later);
    };
    Value searched =
        extractSlice(b, loc, keys, {block, b.getIndexAttr(0)}, {1, blockSize}, {blockSize});
    Value nextTop = largest(searched, {line, point}, {}, isLeft);
    Value nextIndex = elementOf(firstIndex(searched, nextTop, {line, point}, {}, isLeft));
    Value none = number(b, loc, i32, APInt(32, nowhere));
    Value moved =
        arith::AddIOp::create(b, loc, nextIndex, arith::IndexCastOp::create(b, loc, i32, start));
    Value isNone = compare(b, loc, Order::eq, nextIndex, none);
    nextIndex = arith::SelectOp::create(b, loc, isNone, none, moved);
    auto with = [&](Value tensor, Value element, ValueRange where) -> Value {
      return tensor::InsertOp::create(b, loc, element, tensor, where);
    };
    Values next{with(now[0], elementOf(nextTop), block), with(now[1], nextIndex, block),
                with(now[2], elementOf(x, {row, at}), {slot, step})};
    if (found.size() > 1)
      next.push_back(
          with(now[3], arith::IndexCastOp::create(b, loc, b.getI64Type(), at), {slot, step}));
    return next;
  });
  return {result.begin() + 2, result.end()};
}

/// All rows, many of them in a task if their number is known.
LongSelection::Values LongSelection::inTasks(ValueRange found) {
  const Heuristics &limits = c.cpu().heuristics;
  const int64_t known = rows.number().value_or(1);
  int64_t tasks = std::clamp<int64_t>(known * size / limits.minTopKWork, 1,
                                      std::min(maxTasksOf(c.cpu()), known));
  while (known % tasks != 0)
    --tasks;
  if (tasks == 1)
    return buildFor(rows, found,
                    [&](Value row, ValueRange now) { return selectInRow(row, row, now); });
  int64_t part = known / tasks;
  auto forall = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(tasks)}, found,
                                      std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value first = arith::MulIOp::create(b, loc, forall.getInductionVar(0), index(part));
  SmallVector<OpFoldResult> offsets{first, b.getIndexAttr(0)},
      sizes{b.getIndexAttr(part), b.getIndexAttr(k)}, strides(2, b.getIndexAttr(1));
  Values parts;
  for (Value whole : forall.getRegionIterArgs())
    parts.push_back(tensor::ExtractSliceOp::create(b, loc, whole, offsets, sizes, strides));
  parts = buildFor(part, parts, [&](Value i, ValueRange now) {
    return selectInRow(arith::AddIOp::create(b, loc, first, i), i, now);
  });
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [value, whole] : llvm::zip(parts, forall.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(b, loc, value, whole, offsets, sizes, strides);
  return Values(forall.getResults());
}

LongSelection::Values LongSelection::buildFor(const Dim &count, ValueRange inits,
                                              llvm::function_ref<Values(Value, ValueRange)> body) {
  Value least = index(0);
  Value end = getValueOrCreateConstantIndexOp(b, loc, sizeValue(b, count));
  auto loop = scf::ForOp::create(b, loc, least, end, index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// From [rows, k] to where the axis was.
Value LongSelection::movedBack(Value found) {
  TensorShape shape;
  SmallVector<int64_t> back(rank);
  for (auto [position, d] : llvm::enumerate(order)) {
    shape.push_back(c.resultType().shape.dim(d));
    back[d] = position;
  }
  return transposed(b, loc, c.withShape(found, shape), back);
}

} // namespace

void lowerTopKOfLongRows(LoweringContext &c, int64_t axis) { LongSelection(c, axis).lower(); }

} // namespace kgen
