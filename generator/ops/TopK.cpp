// TopK: the largest or smallest elements along an axis, in order, and where they stand. One after
// another is looked for among what comes behind the one before, which goes over vectors: cheap for
// few elements. Elements are compared as integers of the same order; of equal ones the first comes
// first, -0 equals 0, and NaN is larger than any number.
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

/// Lowers one TopK. Found indices are [k, other dimensions...] at first.
class Selection {
public:
  explicit Selection(LoweringContext &c)
      : c(c), x(c.operand(0)), type(cast<RankedTensorType>(x.getType())),
        axis(*normalizeAxis(c, c.integer("axis"), type.getRank())), k(c.resultType().shape[axis]),
        maps(type, axis) {}

  void lower() {
    Value places = moveBack(found(keys()));
    c.setResult(c.indexed(c.resultTensor(), places, c.b.getMultiDimIdentityMap(type.getRank()),
                          [&](OpBuilder &b, mlir::Location loc, ValueRange at, ValueRange scalars) {
                            SmallVector<Value> place(at);
                            place[axis] =
                                arith::IndexCastOp::create(b, loc, b.getIndexType(), scalars[0]);
                            return tensor::ExtractOp::create(b, loc, x, place).getResult();
                          }));
    if (c.hasResult(1))
      c.setResult(c.elementwise(c.resultTensor(1), places,
                                [](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                                  return arith::ExtSIOp::create(b, loc, b.getI64Type(), v[0]);
                                }),
                  1);
  }

private:
  Value key(OpBuilder &b, mlir::Location loc, Value element);
  Value keys();
  Value found(Value keys);
  Value moveBack(Value places);
  static Value number(OpBuilder &b, mlir::Location loc, Type type, const APInt &value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }

  LoweringContext &c;
  Value x;
  RankedTensorType type;
  int64_t axis, k;
  ReducedMaps maps;
};

/// A signed integer of 32 or 64 bits that is the larger, the earlier an element comes.
Value Selection::key(OpBuilder &b, mlir::Location loc, Value element) {
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

Value Selection::keys() {
  Type wide = computeType(type.getElementType());
  Type integer = c.b.getIntegerType(std::max(32u, wide.getIntOrFloatBitWidth()));
  return c.elementwise(type.clone(integer), x, [&](OpBuilder &b, mlir::Location loc, ValueRange v) {
    return key(b, loc, v[0]);
  });
}

/// The indices of the first k elements, one pass for each.
Value Selection::found(Value keys) {
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
  auto here = [&](OpBuilder &inside, mlir::Location loc) -> Value {
    Value at = linalg::IndexOp::create(inside, loc, axis);
    return arith::IndexCastOp::create(inside, loc, i32, at);
  };
  auto compare = [](OpBuilder &inside, mlir::Location loc, arith::CmpIPredicate how, Value l,
                    Value r) -> Value { return arith::CmpIOp::create(inside, loc, how, l, r); };
  using Order = arith::CmpIPredicate;
  /// Whether an element comes behind the last one that was found.
  auto isBehind = [&](OpBuilder &inside, mlir::Location loc, ValueRange v) -> Value {
    Value later = arith::AndIOp::create(inside, loc, compare(inside, loc, Order::eq, v[0], v[1]),
                                        compare(inside, loc, Order::sgt, here(inside, loc), v[2]));
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
    constexpr int32_t nowhere = std::numeric_limits<int32_t>::max();
    Value place =
        c.generic(c.filled(placeType, nowhere), {keys, lastKey, lastPlace, key},
                  {maps.full, maps.kept, maps.kept, maps.kept, maps.kept},
                  [&](OpBuilder &inside, mlir::Location loc, ValueRange v) -> Value {
                    Value none = number(inside, loc, i32, APInt(32, nowhere));
                    Value isIt = arith::AndIOp::create(inside, loc, isBehind(inside, loc, v),
                                                       compare(inside, loc, Order::eq, v[0], v[3]));
                    Value candidate =
                        arith::SelectOp::create(inside, loc, isIt, here(inside, loc), none);
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

/// From [k, other dimensions...] to where the axis was.
Value Selection::moveBack(Value places) {
  SmallVector<int64_t> order;
  for (int64_t d = 1; d < type.getRank(); ++d)
    order.push_back(d);
  order.insert(order.begin() + axis, 0);
  return transposed(c.b, c.loc, places, order);
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
  op.lower = [](LoweringContext &c) { Selection(c).lower(); };
  return {op};
}

} // namespace kgen
