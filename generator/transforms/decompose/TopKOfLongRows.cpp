// kgen.top_k along a long axis: one after another is found among the first ones of blocks of a row.
#include "transforms/decompose/Reordered.h"
#include "transforms/decompose/TopKLoops.h"

#include "costmodel/TaskTiles.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Arith/Utils/Utils.h>
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
  LongSelection(OpBuilder &b, TopKOp op);

  DecomposedOp lower();

private:
  using Values = SmallVector<Value>;
  using IsLeft = llvm::function_ref<Value(OpBuilder &, Location, Value)>;

  static int64_t ceilOfRoot(int64_t n) {
    int64_t root = 1;
    while (root * root < n)
      root *= 2;
    return root;
  }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  APInt lowest() const { return APInt::getSignedMinValue(key.getIntOrFloatBitWidth()); }
  Values buildFor(OpFoldResult count, ValueRange inits,
                  llvm::function_ref<Values(Value, ValueRange)> body);
  Value keysOf(Value row);
  Value largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
                IsLeft isLeft = nullptr);
  Value firstIndex(Value keys, Value largest, ArrayRef<AffineMap> maps,
                   ArrayRef<OpFoldResult> sizes, IsLeft isLeft = nullptr);
  Value indicesInRow(Value indices);
  Value firstOfBlocks(Value keys, Value indices, Value top);
  Values inTasks(int64_t tasks, ValueRange found);
  Values selectInRow(Value row, Value slot, ValueRange found);
  Values without(Value keys, ValueRange now, Value topKey, Value at);
  int64_t taskCount() const;
  Value movedBack(Value found);

  OpBuilder &b;
  Location loc;
  TopKOp op;
  GenericBuilder build;
  const Cpu &cpu;
  int64_t rank, k, size, blockSize, blocks = 0;
  SmallVector<int64_t> order;               ///< of dimensions, the axis last
  SmallVector<ReassociationIndices> groups; ///< of these: rows, and the axis
  Value x;
  OpFoldResult rows;
  Type key;
};

LongSelection::LongSelection(OpBuilder &b, TopKOp op)
    : b(b), loc(op.getLoc()), op(op), build(b, loc), cpu(cpuOf(op)),
      rank(op.getInputType().getRank()) {
  int64_t axis = op.getDimensions().front();
  k = op.getResultType().getDimSize(axis);
  size = op.getInputType().getDimSize(axis);
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  groups.resize(rank == 1 ? 1 : 2);
  for (int64_t d = 0; d < std::max<int64_t>(rank, 2); ++d)
    groups[rank > 1 && d == rank - 1].push_back(d);
  x = reordered(b, loc, op.getInput(), order);
  if (rank == 1)
    x = tensor::ExpandShapeOp::create(b, loc, op.getInputType().clone({1, size}), x, groups);
  else if (rank > 2)
    x = tensor::CollapseShapeOp::create(b, loc, x, groups);
  rows = sizeOf(b, loc, x, 0);
  key = keyType(op.getInputType().getElementType());
  int64_t shortest = cpu.heuristics.minTopKBlock;
  blockSize = size <= shortest ? size : std::max<int64_t>(shortest, 2 * ceilOfRoot(size));
  blocks = size ? llvm::divideCeil(size, blockSize) : 0;
}

/// The keys of a row as [blocks, elements]; the padding of the last block comes after all of them.
Value LongSelection::keysOf(Value row) {
  TensorSlice slice(b, ArrayRef<OpFoldResult>{row, b.getIndexAttr(0)}, ArrayRef<int64_t>{1, size});
  Value elements = extract(b, loc, x, slice, {size});
  AffineMap line = b.getMultiDimIdentityMap(1);
  Value keys = build.generic(
      emptyLike(b, loc, elements, key), elements, {line, line},
      [&](OpBuilder &b, Location loc, ValueRange v) { return keyOf(op, b, loc, v[0]); });
  int64_t all = blocks * blockSize;
  if (all != size) {
    Value filled =
        build.filled({OpFoldResult(b.getIndexAttr(all))}, b.getIntegerAttr(key, lowest()));
    keys = insert(b, loc, keys, filled, TensorSlice(b, ArrayRef<int64_t>{0}, {size}));
  }
  return tensor::ExpandShapeOp::create(b, loc, RankedTensorType::get({blocks, blockSize}, key),
                                       keys, SmallVector<ReassociationIndices>{{0, 1}});
}

/// The largest keys among those for which `isLeft`.
Value LongSelection::largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<OpFoldResult> sizes,
                             IsLeft isLeft) {
  return build.generic(
      build.filled(sizes, b.getIntegerAttr(key, lowest())), keys, {maps.front(), maps.back()},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value candidate = v[0];
        if (isLeft)
          candidate = arith::SelectOp::create(b, loc, isLeft(b, loc, v[0]), candidate,
                                              number(b, loc, key, lowest()));
        return arith::MaxSIOp::create(b, loc, candidate, v[1]);
      });
}

/// The first index in its block of each of `largest`; `nowhere` if there is none.
Value LongSelection::firstIndex(Value keys, Value largest, ArrayRef<AffineMap> maps,
                                ArrayRef<OpFoldResult> sizes, IsLeft isLeft) {
  return build.generic(build.filled(sizes, b.getI32IntegerAttr(nowhere)), {keys, largest},
                       {maps.front(), maps.back(), maps.back()},
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Value isIt = compare(b, loc, Order::eq, v[0], v[1]);
                         if (isLeft)
                           isIt = arith::AndIOp::create(b, loc, isIt, isLeft(b, loc, v[0]));
                         Value candidate = arith::SelectOp::create(
                             b, loc, isIt, here(b, loc, maps.front().getNumDims() - 1),
                             number(b, loc, b.getI32Type(), APInt(32, nowhere)));
                         return arith::MinSIOp::create(b, loc, candidate, v[2]);
                       });
}

/// Indices in blocks, one for each block, as indices in the row.
Value LongSelection::indicesInRow(Value indices) {
  AffineMap line = b.getMultiDimIdentityMap(1);
  return build.generic(emptyLike(b, loc, indices), indices, {line, line},
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         Value length = number(b, loc, b.getI32Type(), APInt(32, blockSize));
                         Value start = arith::MulIOp::create(b, loc, here(b, loc, 0), length);
                         return arith::AddIOp::create(b, loc, v[0], start);
                       });
}

/// The smallest of the blocks' `indices` whose key is `top`.
Value LongSelection::firstOfBlocks(Value keys, Value indices, Value top) {
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, b.getContext());
  return build.generic(
      build.filled(ArrayRef<OpFoldResult>(), b.getI32IntegerAttr(nowhere)), {keys, indices, top},
      {line, line, point, point}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value candidate =
            arith::SelectOp::create(b, loc, compare(b, loc, Order::eq, v[0], v[2]), v[1],
                                    number(b, loc, b.getI32Type(), APInt(32, nowhere)));
        return arith::MinSIOp::create(b, loc, candidate, v[3]);
      });
}

/// The first k elements of a row, written to the slice `slot` of the results.
LongSelection::Values LongSelection::selectInRow(Value row, Value slot, ValueRange found) {
  AffineMap plane = b.getMultiDimIdentityMap(2), ofBlocks = plane.getMajorSubMap(1);
  OpFoldResult count = b.getIndexAttr(blocks);
  Value keys = keysOf(row);
  Value tops = largest(keys, {plane, ofBlocks}, count);
  Value indices = firstIndex(keys, tops, {plane, ofBlocks}, count);
  Values state{tops, indicesInRow(indices)};
  llvm::append_range(state, found);
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, b.getContext());
  Values result = buildFor(b.getIndexAttr(k), state, [&](Value step, ValueRange now) {
    Value top = largest(now[0], {line, point}, {});
    Value first = firstOfBlocks(now[0], now[1], top);
    Value topKey = tensor::ExtractOp::create(b, loc, top, ValueRange());
    Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          tensor::ExtractOp::create(b, loc, first, ValueRange()));
    Values next = without(keys, now, topKey, at);
    auto write = [&](Value tensor, Value element) -> Value {
      return tensor::InsertOp::create(b, loc, element, tensor, ValueRange{slot, step});
    };
    next.push_back(write(now[2], tensor::ExtractOp::create(b, loc, x, ValueRange{row, at})));
    if (found.size() > 1)
      next.push_back(write(now[3], arith::IndexCastOp::create(b, loc, b.getI64Type(), at)));
    return next;
  });
  return {result.begin() + 2, result.end()};
}

/// The keys and indices of the blocks' first elements without the one at `at`, whose key is
/// `topKey`.
LongSelection::Values LongSelection::without(Value keys, ValueRange now, Value topKey, Value at) {
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, b.getContext());
  Type i32 = b.getI32Type();
  Value block = arith::DivUIOp::create(b, loc, at, index(blockSize));
  Value start = arith::MulIOp::create(b, loc, block, index(blockSize));
  Value inBlock = arith::IndexCastOp::create(b, loc, i32, arith::SubIOp::create(b, loc, at, start));
  // True if an element comes after the one that has just been found.
  auto isLeft = [&](OpBuilder &b, Location loc, Value element) -> Value {
    Value equal = compare(b, loc, Order::eq, element, topKey);
    Value isLater = compare(b, loc, Order::sgt, here(b, loc, 0), inBlock);
    Value later = arith::AndIOp::create(b, loc, equal, isLater);
    return arith::OrIOp::create(b, loc, compare(b, loc, Order::slt, element, topKey), later);
  };
  TensorSlice slice(b, ArrayRef<OpFoldResult>{block, b.getIndexAttr(0)},
                    ArrayRef<int64_t>{1, blockSize});
  Value searched = extract(b, loc, keys, slice, {blockSize});
  Value nextTop = largest(searched, {line, point}, {}, isLeft);
  Value nextIndex = tensor::ExtractOp::create(
      b, loc, firstIndex(searched, nextTop, {line, point}, {}, isLeft), ValueRange());
  Value none = number(b, loc, i32, APInt(32, nowhere));
  Value moved =
      arith::AddIOp::create(b, loc, nextIndex, arith::IndexCastOp::create(b, loc, i32, start));
  Value isNone = compare(b, loc, Order::eq, nextIndex, none);
  nextIndex = arith::SelectOp::create(b, loc, isNone, none, moved);
  auto write = [&](Value tensor, Value element) -> Value {
    return tensor::InsertOp::create(b, loc, element, tensor, block);
  };
  Value nextKey = tensor::ExtractOp::create(b, loc, nextTop, ValueRange());
  return {write(now[0], nextKey), write(now[1], nextIndex)};
}

/// Tasks of equally many rows, if their number is known.
int64_t LongSelection::taskCount() const {
  int64_t known = getConstantIntValue(rows).value_or(1);
  int64_t tasks = std::clamp<int64_t>(known * size / cpu.heuristics.minTopKWork, 1,
                                      std::min(maxTasksOf(cpu), known));
  while (known % tasks != 0)
    --tasks;
  return tasks;
}

/// All rows in tasks, many of them in each.
LongSelection::Values LongSelection::inTasks(int64_t tasks, ValueRange found) {
  int64_t part = *getConstantIntValue(rows) / tasks;
  auto forall = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(tasks)}, found,
                                      std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value first = arith::MulIOp::create(b, loc, forall.getInductionVar(0), index(part));
  TensorSlice slice(b, ArrayRef<OpFoldResult>{first, b.getIndexAttr(0)},
                    ArrayRef<int64_t>{part, k});
  Values parts;
  for (Value whole : forall.getRegionIterArgs())
    parts.push_back(extract(b, loc, whole, slice));
  parts = buildFor(b.getIndexAttr(part), parts, [&](Value i, ValueRange now) {
    return selectInRow(arith::AddIOp::create(b, loc, first, i), i, now);
  });
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [value, whole] : llvm::zip(parts, forall.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(b, loc, value, whole, slice.offsets, slice.sizes,
                                          slice.strides(b));
  return Values(forall.getResults());
}

LongSelection::Values LongSelection::buildFor(OpFoldResult count, ValueRange inits,
                                              llvm::function_ref<Values(Value, ValueRange)> body) {
  Value least = index(0), end = getValueOrCreateConstantIndexOp(b, loc, count);
  auto loop = scf::ForOp::create(b, loc, least, end, index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// From [rows, k] to where the axis was.
Value LongSelection::movedBack(Value found) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> resultSizes = op.resultSizes(b);
  for (int64_t d : order) {
    sizes.push_back(resultSizes[d]);
    shape.push_back(op.getResultType().getDimSize(d));
  }
  auto type = cast<RankedTensorType>(found.getType()).clone(shape);
  if (rank == 1)
    found = tensor::CollapseShapeOp::create(b, loc, found, groups);
  else if (rank > 2)
    found = tensor::ExpandShapeOp::create(b, loc, type, found, groups, sizes);
  return reordered(b, loc, found, inverted(order));
}

DecomposedOp LongSelection::lower() {
  Values found;
  for (Type type : op->getResultTypes())
    found.push_back(emptyTensor(b, loc, {rows, b.getIndexAttr(k)}, getElementTypeOrSelf(type)));
  std::string form = "blocks of " + std::to_string(blockSize) + " elements, rows one after another";
  if (getConstantIntValue(rows) != 0 && k != 0) {
    int64_t tasks = taskCount();
    if (tasks > 1) {
      form += " in " + std::to_string(tasks) + " tasks";
      found = inTasks(tasks, found);
    } else {
      found = buildFor(rows, found,
                       [&](Value row, ValueRange now) { return selectInRow(row, row, now); });
    }
  }
  for (Value &value : found)
    value = movedBack(value);
  return {found, form};
}

} // namespace

DecomposedOp buildTopKOfLongRows(OpBuilder &b, TopKOp op) { return LongSelection(b, op).lower(); }

} // namespace kgen
