// TopK: the largest or smallest elements along an axis, in order, and where they stand. One after
// another is found among the first ones of blocks of a row. Elements are compared as integers of
// the same order; of equal ones the first comes first, -0 equals 0, and NaN is larger than any
// number.
#include "ops/Axes.h"
#include "ops/Conversion.h"
#include "ops/Piece.h"
#include "ops/ReducedMaps.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferTopK(InferenceContext &context) {
  const TensorType &input = context.input(0);
  auto axis = normalizeAxis(context, context.integer("axis"), input.shape.size());
  auto k = axis ? requiredIntegers(context, 1, "k") : std::nullopt;
  if (!k)
    return {};
  int64_t size = input.shape[*axis];
  if (k->size() != 1 || k->front() < 0 || k->front() > size ||
      size > std::numeric_limits<int32_t>::max()) {
    context.error("TopK's k (input 2) must be one integer from 0 to the " + std::to_string(size) +
                  " elements of axis " + std::to_string(*axis) + ", which are less than 2^31");
    return {};
  }
  TensorType values = input;
  values.shape[*axis] = k->front();
  return {values, {ElementType::i64, values.shape}};
}

/// The index along loop `loop`.
Value here(OpBuilder &b, mlir::Location loc, unsigned loop) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), linalg::IndexOp::create(b, loc, loop));
}
Value number(OpBuilder &b, mlir::Location loc, Type type, const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}
using Order = arith::CmpIPredicate;
Value compare(OpBuilder &b, mlir::Location loc, Order how, Value l, Value r) {
  return arith::CmpIOp::create(b, loc, how, l, r);
}

constexpr int32_t nowhere = std::numeric_limits<int32_t>::max();

Type keyType(Type element) {
  return IntegerType::get(element.getContext(),
                          std::max(32u, computeType(element).getIntOrFloatBitWidth()));
}

/// A signed integer of 32 or 64 bits that is the larger, the earlier an element comes.
Value keyOf(const LoweringContext &c, OpBuilder &b, mlir::Location loc, Value element) {
  Type given = element.getType();
  unsigned width = std::max(32u, given.getIntOrFloatBitWidth());
  Type integer = b.getIntegerType(width);
  Value result = element;
  if (isa<FloatType>(given)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(given));
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, element, element);
    Value bits =
        arith::BitcastOp::create(b, loc, integer, arith::AddFOp::create(b, loc, element, zero));
    Value sign =
        arith::ShRSIOp::create(b, loc, bits, number(b, loc, integer, APInt(width, width - 1)));
    Value largest = number(b, loc, integer, APInt::getSignedMaxValue(width));
    Value flipped = arith::AndIOp::create(b, loc, sign, largest);
    result = arith::XOrIOp::create(b, loc, bits, flipped);
    result = arith::SelectOp::create(b, loc, isNaN, largest, result);
  } else {
    result = extended(b, loc, element, c.input(0).element, integer);
  }
  if (c.integer("largest") == 0)
    result =
        arith::XOrIOp::create(b, loc, result, number(b, loc, integer, APInt::getAllOnes(width)));
  return result;
}

/// A short axis: all rows side by side, which goes over vectors of rows. One after another is
/// looked for among what comes behind the one before. The tensor is [elements of the axis, other
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
        [&](OpBuilder &b, mlir::Location loc, ValueRange v) { return keyOf(c, b, loc, v[0]); });
    Value places = found(keys);
    RankedTensorType result = cast<RankedTensorType>(places.getType());
    setResult(c.indexed(result.clone(type.getElementType()), places,
                        c.b.getMultiDimIdentityMap(type.getRank()),
                        [&](OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange scalars) {
                          SmallVector<Value> place(at);
                          place[0] =
                              arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[0]);
                          return tensor::ExtractOp::create(b, loc, x, place).getResult();
                        }),
              0);
    if (c.hasResult(1))
      setResult(c.elementwise(result.clone(c.b.getI64Type()), places,
                              [](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
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
    for (auto [place, d] : llvm::enumerate(order))
      back[d] = place;
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

/// The indices of the first k elements, one pass for each.
Value ShortSelection::found(Value keys) {
  OpBuilder &b = c.b;
  Type element = getElementTypeOrSelf(keys.getType()), i32 = b.getI32Type();
  unsigned width = element.getIntOrFloatBitWidth();
  APInt least = APInt::getSignedMinValue(width), most = APInt::getSignedMaxValue(width);
  RankedTensorType keyType = maps.type.clone(element), placeType = maps.type.clone(i32);
  SmallVector<int64_t> all{k + 1};
  llvm::append_range(all, placeType.getShape());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, c.loc, value);
  };
  /// Whether an element comes behind the last one that was found.
  auto isBehind = [&](OpBuilder &inside, mlir::Location loc, ValueRange v) -> Value {
    Value later =
        arith::AndIOp::create(inside, loc, compare(inside, loc, Order::eq, v[0], v[1]),
                              compare(inside, loc, Order::sgt, here(inside, loc, 0), v[2]));
    return arith::OrIOp::create(inside, loc, compare(inside, loc, Order::slt, v[0], v[1]), later);
  };

  // Row 0 comes before all elements.
  RankedTensorType rowsOfKeys = keyType.clone(all), rowsOfPlaces = placeType.clone(all);
  SmallVector<Value> start{c.filledWith(rowsOfKeys, b.getIntegerAttr(element, most)),
                           c.filled(rowsOfPlaces, -1.0)};
  auto loop = scf::ForOp::create(b, c.loc, index(0), index(k), index(1), start);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<OpFoldResult> offset(all.size(), b.getIndexAttr(0));
    SmallVector<int64_t> row = all;
    offset[0] = loop.getInductionVar();
    row[0] = 1;
    Value foundKeys = loop.getRegionIterArg(0), places = loop.getRegionIterArg(1);
    Value lastKey = piece(b, c.loc, foundKeys, offset, row, keyType.getShape());
    Value lastPlace = piece(b, c.loc, places, offset, row, placeType.getShape());
    Value key = c.generic(c.filledWith(keyType, b.getIntegerAttr(element, least)),
                          {keys, lastKey, lastPlace}, {maps.full, maps.kept, maps.kept, maps.kept},
                          [&](OpBuilder &inside, mlir::Location loc, ValueRange v) -> Value {
                            Value none = number(inside, loc, element, least);
                            Value candidate = arith::SelectOp::create(
                                inside, loc, isBehind(inside, loc, v), v[0], none);
                            return arith::MaxSIOp::create(inside, loc, candidate, v[3]);
                          });
    Value place =
        c.generic(c.filled(placeType, nowhere), {keys, lastKey, lastPlace, key},
                  {maps.full, maps.kept, maps.kept, maps.kept, maps.kept},
                  [&](OpBuilder &inside, mlir::Location loc, ValueRange v) -> Value {
                    Value none = number(inside, loc, i32, APInt(32, nowhere));
                    Value isIt = arith::AndIOp::create(inside, loc, isBehind(inside, loc, v),
                                                       compare(inside, loc, Order::eq, v[0], v[3]));
                    Value candidate =
                        arith::SelectOp::create(inside, loc, isIt, here(inside, loc, 0), none);
                    return arith::MinSIOp::create(inside, loc, candidate, v[4]);
                  });
    offset[0] = arith::AddIOp::create(b, c.loc, loop.getInductionVar(), index(1)).getResult();
    foundKeys = withPiece(b, c.loc, foundKeys, key, offset, row);
    places = withPiece(b, c.loc, places, place, offset, row);
    scf::YieldOp::create(b, c.loc, ValueRange{foundKeys, places});
  }
  SmallVector<int64_t> behindFirst(all.size(), 0);
  behindFirst[0] = 1;
  all[0] = k;
  return piece(b, c.loc, loop.getResult(1), behindFirst, all);
}

/// Rows one after another. The tensor is [rows, elements of the axis]. Of each block of a row, the
/// first of its elements that have not been found yet is known; when it is found, its block is
/// searched for the next one.
class Selection {
public:
  explicit Selection(LoweringContext &c)
      : c(c), b(c.b), loc(c.loc), rank(c.resultTensor().getRank()),
        axis(*normalizeAxis(c, c.integer("axis"), rank)), k(c.resultType().shape[axis]) {
    for (int64_t d = 0; d < rank; ++d)
      if (d != axis)
        order.push_back(d);
    order.push_back(axis);
    x = transposed(b, loc, c.operand(0), order);
    auto type = cast<RankedTensorType>(x.getType());
    size = type.getShape().back();
    rows = size ? type.getNumElements() / size : 0;
    x = c.reshape(x, {rows, size});
    key = keyType(type.getElementType());
    blockSize = size <= shortest ? size : std::max<int64_t>(shortest, 2 * ceilOfRoot(size));
    blocks = size ? llvm::divideCeil(size, blockSize) : 0;
  }

  void lower() {
    SmallVector<Value> found;
    for (size_t i = 0; i < results(); ++i)
      found.push_back(
          c.empty(RankedTensorType::get({rows, k}, c.resultTensor(i).getElementType())));
    if (rows * k != 0)
      found = inTasks(found);
    for (auto [i, value] : llvm::enumerate(found))
      c.setResult(movedBack(value), i);
  }

private:
  static constexpr int64_t shortest = 64; ///< elements of a block
  using Values = SmallVector<Value>;

  static int64_t ceilOfRoot(int64_t n) {
    int64_t root = 1;
    while (root * root < n)
      root *= 2;
    return root;
  }
  size_t results() const { return c.hasResult(1) ? 2 : 1; }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value least(OpBuilder &inside, mlir::Location at) {
    return number(inside, at, key, APInt::getSignedMinValue(key.getIntOrFloatBitWidth()));
  }
  Values carryingLoop(int64_t count, ValueRange inits,
                      llvm::function_ref<Values(Value, ValueRange)> body);
  Value keysOf(Value row);
  Value largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                llvm::function_ref<Value(OpBuilder &, mlir::Location, Value)> isLeft = nullptr);
  Value firstPlace(Value keys, Value largest, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                   llvm::function_ref<Value(OpBuilder &, mlir::Location, Value)> isLeft = nullptr);
  Values inTasks(ValueRange found);
  Values ofRow(Value row, Value place, ValueRange found);
  Value movedBack(Value found);

  LoweringContext &c;
  OpBuilder &b;
  mlir::Location loc;
  int64_t rank, axis, k, size = 0, rows = 0, blockSize = 0, blocks = 0;
  SmallVector<int64_t> order; ///< of dimensions, the axis last
  Value x;
  Type key;
};

/// The keys of a row as [blocks, elements]; what fills up the last block comes after all of them.
Value Selection::keysOf(Value row) {
  Value elements = piece(b, loc, x, {row, b.getIndexAttr(0)}, {1, size}, {size});
  Value keys = c.elementwise(RankedTensorType::get({size}, key), elements,
                             [&](OpBuilder &inside, mlir::Location at, ValueRange v) {
                               return keyOf(c, inside, at, v[0]);
                             });
  int64_t all = blocks * blockSize;
  if (all != size) {
    APInt none = APInt::getSignedMinValue(key.getIntOrFloatBitWidth());
    Value filled = c.filledWith(RankedTensorType::get({all}, key), b.getIntegerAttr(key, none));
    keys = withPiece(b, loc, filled, keys, {b.getIndexAttr(0)}, {size});
  }
  return c.reshape(keys, {blocks, blockSize});
}

/// The largest keys of those that are left.
Value Selection::largest(Value keys, ArrayRef<AffineMap> maps, ArrayRef<int64_t> shape,
                         llvm::function_ref<Value(OpBuilder &, mlir::Location, Value)> isLeft) {
  APInt none = APInt::getSignedMinValue(key.getIntOrFloatBitWidth());
  return c.generic(c.filledWith(RankedTensorType::get(shape, key), b.getIntegerAttr(key, none)),
                   keys, {maps.front(), maps.back()},
                   [&](OpBuilder &inside, mlir::Location at, ValueRange v) -> Value {
                     Value candidate = v[0];
                     if (isLeft)
                       candidate = arith::SelectOp::create(inside, at, isLeft(inside, at, v[0]),
                                                           candidate, least(inside, at));
                     return arith::MaxSIOp::create(inside, at, candidate, v[1]);
                   });
}

/// Where they stand first in their block.
Value Selection::firstPlace(Value keys, Value largest, ArrayRef<AffineMap> maps,
                            ArrayRef<int64_t> shape,
                            llvm::function_ref<Value(OpBuilder &, mlir::Location, Value)> isLeft) {
  Type i32 = b.getI32Type();
  return c.generic(c.filled(RankedTensorType::get(shape, i32), nowhere), {keys, largest},
                   {maps.front(), maps.back(), maps.back()},
                   [&](OpBuilder &inside, mlir::Location at, ValueRange v) -> Value {
                     Value isIt = compare(inside, at, Order::eq, v[0], v[1]);
                     if (isLeft)
                       isIt = arith::AndIOp::create(inside, at, isIt, isLeft(inside, at, v[0]));
                     Value candidate = arith::SelectOp::create(
                         inside, at, isIt, here(inside, at, maps.front().getNumDims() - 1),
                         number(inside, at, i32, APInt(32, nowhere)));
                     return arith::MinSIOp::create(inside, at, candidate, v[2]);
                   });
}

/// The first k elements of a row, written to `place` of what was found.
Selection::Values Selection::ofRow(Value row, Value place, ValueRange found) {
  MLIRContext *context = b.getContext();
  Type i32 = b.getI32Type();
  auto scalarType = [](Type type) { return RankedTensorType::get({}, type); };
  auto elementOf = [&](Value tensor, ValueRange at = {}) -> Value {
    return tensor::ExtractOp::create(b, loc, tensor, at);
  };
  AffineMap line = b.getMultiDimIdentityMap(1), point = AffineMap::get(1, 0, context),
            plane = b.getMultiDimIdentityMap(2), ofBlocks = plane.getMajorSubMap(1);
  Value keys = keysOf(row);
  Value tops = largest(keys, {plane, ofBlocks}, {blocks});
  Value places = firstPlace(keys, tops, {plane, ofBlocks}, {blocks});
  places = c.generic(c.empty(RankedTensorType::get({blocks}, i32)), places, {line, line},
                     [&](OpBuilder &inside, mlir::Location at, ValueRange v) -> Value {
                       Value start =
                           arith::MulIOp::create(inside, at, here(inside, at, 0),
                                                 number(inside, at, i32, APInt(32, blockSize)));
                       return arith::AddIOp::create(inside, at, v[0], start);
                     });
  Values state{tops, places};
  llvm::append_range(state, found);
  Values result = carryingLoop(k, state, [&](Value step, ValueRange now) {
    Value top = largest(now[0], {line, point}, {});
    Value first = c.generic(
        c.filled(scalarType(i32), nowhere), {now[0], now[1], top}, {line, line, point, point},
        [&](OpBuilder &inside, mlir::Location at, ValueRange v) -> Value {
          Value candidate =
              arith::SelectOp::create(inside, at, compare(inside, at, Order::eq, v[0], v[2]), v[1],
                                      number(inside, at, i32, APInt(32, nowhere)));
          return arith::MinSIOp::create(inside, at, candidate, v[3]);
        });
    Value topKey = elementOf(top);
    Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(), elementOf(first));
    Value block = arith::DivUIOp::create(b, loc, at, index(blockSize));
    Value start = arith::MulIOp::create(b, loc, block, index(blockSize));
    Value inBlock =
        arith::IndexCastOp::create(b, loc, i32, arith::SubIOp::create(b, loc, at, start));
    // Whether an element comes behind the one that has just been found.
    auto isLeft = [&](OpBuilder &inside, mlir::Location where, Value element) -> Value {
      Value equal = compare(inside, where, Order::eq, element, topKey);
      Value behind = compare(inside, where, Order::sgt, here(inside, where, 0), inBlock);
      Value later = arith::AndIOp::create(inside, where, equal, behind);
      return arith::OrIOp::create(inside, where,
                                  compare(inside, where, Order::slt, element, topKey), later);
    };
    Value searched = piece(b, loc, keys, {block, b.getIndexAttr(0)}, {1, blockSize}, {blockSize});
    Value nextTop = largest(searched, {line, point}, {}, isLeft);
    Value nextPlace = elementOf(firstPlace(searched, nextTop, {line, point}, {}, isLeft));
    Value none = number(b, loc, i32, APInt(32, nowhere));
    Value moved =
        arith::AddIOp::create(b, loc, nextPlace, arith::IndexCastOp::create(b, loc, i32, start));
    Value isNone = compare(b, loc, Order::eq, nextPlace, none);
    nextPlace = arith::SelectOp::create(b, loc, isNone, none, moved);
    auto with = [&](Value tensor, Value element, ValueRange where) -> Value {
      return tensor::InsertOp::create(b, loc, element, tensor, where);
    };
    Values next{with(now[0], elementOf(nextTop), block), with(now[1], nextPlace, block),
                with(now[2], elementOf(x, {row, at}), {place, step})};
    if (found.size() > 1)
      next.push_back(
          with(now[3], arith::IndexCastOp::create(b, loc, b.getI64Type(), at), {place, step}));
    return next;
  });
  return {result.begin() + 2, result.end()};
}

/// All rows, many of them in a task.
Selection::Values Selection::inTasks(ValueRange found) {
  constexpr int64_t mostTasks = 32, leastWork = 1 << 18; // elements
  int64_t tasks = std::clamp<int64_t>(rows * size / leastWork, 1, std::min(mostTasks, rows));
  while (rows % tasks != 0)
    --tasks;
  if (tasks == 1)
    return carryingLoop(rows, found,
                        [&](Value row, ValueRange now) { return ofRow(row, row, now); });
  int64_t part = rows / tasks;
  auto forall = scf::ForallOp::create(b, loc, ArrayRef<OpFoldResult>{b.getIndexAttr(tasks)}, found,
                                      std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value first = arith::MulIOp::create(b, loc, forall.getInductionVar(0), index(part));
  SmallVector<OpFoldResult> offsets{first, b.getIndexAttr(0)},
      sizes{b.getIndexAttr(part), b.getIndexAttr(k)}, steps(2, b.getIndexAttr(1));
  Values parts;
  for (Value whole : forall.getRegionIterArgs())
    parts.push_back(tensor::ExtractSliceOp::create(b, loc, whole, offsets, sizes, steps));
  parts = carryingLoop(part, parts, [&](Value i, ValueRange now) {
    return ofRow(arith::AddIOp::create(b, loc, first, i), i, now);
  });
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  for (auto [value, whole] : llvm::zip(parts, forall.getRegionIterArgs()))
    tensor::ParallelInsertSliceOp::create(b, loc, value, whole, offsets, sizes, steps);
  return Values(forall.getResults());
}

Selection::Values Selection::carryingLoop(int64_t count, ValueRange inits,
                                          llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, loc, index(0), index(count), index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

/// From [rows, k] to where the axis was.
Value Selection::movedBack(Value found) {
  SmallVector<int64_t> shape, back(rank);
  for (auto [place, d] : llvm::enumerate(order)) {
    shape.push_back(c.resultType().shape[d]);
    back[d] = place;
  }
  return transposed(b, loc, c.reshape(found, shape), back);
}

} // namespace

std::vector<Operator> topKOperators() {
  Operator op;
  op.name = "TopK";
  op.summary = "the k largest or smallest elements along an axis and their indices";
  op.minInputs = op.maxInputs = 2;
  op.outputs = 2;
  op.optionalOutputs = 1;
  op.attributes = {
      {"axis", AttributeKind::integer, int64_t(-1), false, "counted from the end if negative"},
      {"largest", AttributeKind::integer, int64_t(1), false, "0: the smallest ones"},
      {"sorted", AttributeKind::integer, int64_t(1), false,
       "of no effect: results are always in order"}};
  op.types = floatAndIntegerTypes();
  op.infer = inferTopK;
  op.lower = [](LoweringContext &c) {
    const std::vector<int64_t> &shape = c.input(0).shape;
    int64_t axis = *normalizeAxis(c, c.integer("axis"), shape.size()), rows = 1;
    for (size_t d = 0; d < shape.size(); ++d)
      rows *= static_cast<int64_t>(d) == axis ? 1 : shape[d];
    constexpr int64_t shortAxis = 128, manyRows = 16;
    if (shape[axis] <= shortAxis && rows >= manyRows)
      ShortSelection(c, axis).lower();
    else
      Selection(c).lower();
  };
  return {op};
}

} // namespace kgen
