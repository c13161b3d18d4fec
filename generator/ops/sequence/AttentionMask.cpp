#include "ops/sequence/AttentionMask.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen::attention {
namespace {

using Dims = std::vector<Dim>;

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// The mask that is given, with a place for each key.
Value maskOfKeys(LoweringContext &c) {
  Value given = c.operand(mask);
  const TensorShape &from = c.input(mask).shape, shape = maskShape(c);
  if (from == shape)
    return given;
  mlir::Type element = getElementTypeOrSelf(given.getType());
  Value masked = c.scalar(element, isa<FloatType>(element) ? lowest : 0);
  SmallVector<OpFoldResult> before(shape.size(), c.b.getIndexAttr(0)), after(before);
  after.back() = sizeValue(c.b, shape.dim(shape.size() - 1) - from.dim(from.size() - 1));
  return tensor::PadOp::create(c.b, c.loc, tensorOf(shape, element), given, before, after, masked,
                               /*nofold=*/false);
}

/// True if sequences have numbers of keys of their own, or such as the graph computes.
bool hasCounts(const InferenceContext &c) { return c.hasInput(validKeys) && !knownValidKeys(c); }

/// Returns the number of keys that count if it is one size, and there are others.
std::optional<Dim> countOfAll(const InferenceContext &c) {
  std::optional<Dim> count = knownValidKeys(c);
  return count == keyLength(c) ? std::nullopt : count;
}

bool hasWindow(const InferenceContext &c) {
  return c.integer(leftWindow) >= 0 || c.integer(rightWindow) >= 0;
}

/// Tests of a query and a key, by the numbers of keys before the first query and in all.
class Limits {
public:
  explicit Limits(LoweringContext &c)
      : c(c), queryCount(sizeValue(c.b, headsAt(c, queries).length)),
        past(sizeValue(c.b, keysBefore(c))) {
    if (std::optional<Dim> count = countOfAll(c))
      sharedCount = sizeValue(c.b, *count);
  }

  /// True if the query sees the key; `count` is null where sequences have none of their own.
  Value seen(OpBuilder &b, Location loc, Value query, Value key, Value count) const {
    auto value = [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); };
    Value before = value(past), all;
    auto require = [&](arith::CmpIPredicate predicate, Value left, Value right) {
      Value holds = arith::CmpIOp::create(b, loc, predicate, left, right);
      all = all ? arith::AndIOp::create(b, loc, all, holds).getResult() : holds;
    };
    if (count) {
      count = arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
      before = arith::SubIOp::create(b, loc, count, value(queryCount));
      require(arith::CmpIPredicate::slt, key, count);
    } else if (sharedCount) {
      require(arith::CmpIPredicate::slt, key, value(sharedCount));
    }
    Value own = arith::AddIOp::create(b, loc, query, before);
    auto apart = [&](const char *attribute) { return value(b.getIndexAttr(c.integer(attribute))); };
    if (count && c.integer("is_causal"))
      require(arith::CmpIPredicate::sle, key, own);
    if (c.integer(leftWindow) >= 0)
      require(arith::CmpIPredicate::sge, arith::AddIOp::create(b, loc, key, apart(leftWindow)),
              own);
    if (c.integer(rightWindow) >= 0)
      require(arith::CmpIPredicate::sle, key,
              arith::AddIOp::create(b, loc, own, apart(rightWindow)));
    return all;
  }

private:
  LoweringContext &c;
  OpFoldResult queryCount, past, sharedCount; ///< `sharedCount` is null where all keys count
};

/// The mask with windows and keys beyond those that count, on [batch, heads, queries, keys].
Value limitedMask(LoweringContext &c, const TensorShape &shape) {
  const bool hasMask = c.hasInput(mask), isCounted = hasCounts(c);
  SmallVector<Value> inputs;
  if (hasMask)
    inputs.push_back(maskOfKeys(c));
  if (isCounted)
    inputs.push_back(
        c.withShape(c.operand(validKeys), Dims{c.input(validKeys).shape.dim(0), 1, 1, 1}));
  mlir::Type element = hasMask ? getElementTypeOrSelf(inputs.front()) : c.b.getI8Type();
  SmallVector<AffineMap> maps;
  for (Value &input : inputs) {
    Broadcast read = c.broadcast(input, tensorOf(shape, element));
    input = read.value;
    maps.push_back(read.map);
  }
  maps.push_back(c.b.getMultiDimIdentityMap(4));
  Limits limits(c);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value query = linalg::IndexOp::create(b, loc, 2), key = linalg::IndexOp::create(b, loc, 3);
    Value seen = limits.seen(b, loc, query, key, isCounted ? v[hasMask ? 1 : 0] : Value());
    if (!hasMask)
      return arith::ExtUIOp::create(b, loc, element, seen);
    TypedAttr none = isa<FloatType>(v[0].getType())
                         ? TypedAttr(b.getFloatAttr(v[0].getType(), lowest))
                         : b.getZeroAttr(v[0].getType());
    return arith::SelectOp::create(b, loc, seen, v[0], arith::ConstantOp::create(b, loc, none));
  };
  return c.generic(c.empty(shape, element), inputs, maps, body);
}

} // namespace

Mask maskOf(LoweringContext &c) {
  Heads q = headsAt(c, queries);
  const bool hasMask = c.hasInput(mask), isCounted = hasCounts(c);
  const bool isLimited = isCounted || countOfAll(c) || hasWindow(c);
  if (!hasMask && !isLimited)
    return {};
  Mask result;
  result.isBool = !hasMask || c.input(mask).element == ElementType::boolean;
  TensorShape shape = hasMask ? maskShape(c) : TensorShape();
  if (isLimited) {
    shape = *broadcastShapes(shape, Dims{isCounted ? q.batch : Dim(1), 1, q.length, keyLength(c)});
    result.value = limitedMask(c, shape);
  } else {
    result.value = maskOfKeys(c);
  }
  if (shape.size() < 3)
    return result;
  const bool isOne = shape.isUnit(shape.size() - 3);
  int64_t shared = headsAt(c, keys).count;
  shape.setDim(shape.size() - 3, isOne ? 1 : shared);
  shape.insertDim(shape.size() - 2, isOne ? 1 : q.count / shared);
  result.value = c.withShape(result.value, shape);
  return result;
}

Value causalScores(LoweringContext &c, Value scores) {
  if (!c.integer("is_causal") || hasCounts(c))
    return scores;
  auto type = cast<RankedTensorType>(scores.getType());
  OpFoldResult length = sizeValue(c.b, keysBefore(c));
  return c.elementwise(type, scores, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value key = linalg::IndexOp::create(b, loc, 4), query = linalg::IndexOp::create(b, loc, 3);
    Value past = getValueOrCreateConstantIndexOp(b, loc, length);
    Value last = arith::AddIOp::create(b, loc, query, past);
    Value seen = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, key, last);
    Value none = arith::ConstantOp::create(b, loc, b.getFloatAttr(v[0].getType(), lowest));
    return arith::SelectOp::create(b, loc, seen, v[0], none);
  });
}

} // namespace kgen::attention
