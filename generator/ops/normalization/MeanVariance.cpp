#include "ops/normalization/MeanVariance.h"

#include "dialect/kgen/PrecisionHints.h"
#include "ops/TypeRules.h"
#include "support/HalfBits.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cstring>

using namespace mlir;

namespace kgen {
namespace {

bool isNarrow(const Normalized &n) { return n.type.getElementTypeBitWidth() == 16; }

/// An operation on the elements, whose rounding errors do not show beside those of 16 bits.
Value onElements(LoweringContext &c, const Normalized &n, Value out, ValueRange inputs,
                 ArrayRef<AffineMap> maps, const LoweringContext::Body &body) {
  Value result = c.generic(out, inputs, maps, body);
  if (isNarrow(n))
    relaxRoundings(result.getDefiningOp()->getRegion(0));
  return result;
}

Value sum(LoweringContext &c, const Normalized &n, ValueRange inputs, ArrayRef<AffineMap> maps,
          const LoweringContext::Body &term) {
  SmallVector<AffineMap> all(maps);
  all.push_back(n.maps.kept);
  return onElements(c, n, n.maps.filled(c, 0.0), inputs, all,
                    [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                      return arith::AddFOp::create(b, loc, v.back(), term(b, loc, v));
                    });
}

SizeAsFloat countOf(LoweringContext &c, const Normalized &n) {
  return {c.b, c.loc, n.maps.count, cast<FloatType>(n.maps.type.getElementType())};
}

Value onMeans(LoweringContext &c, const Normalized &n, Value value,
              const LoweringContext::Body &body) {
  return c.elementwise(n.maps.type, value, body);
}

} // namespace

/// True if rows come from memory.
static bool isLarge(const Cpu &cpu, Value x) {
  RankedTensorType type = greatestTensorOf(tensorShapeOf(x), getElementTypeOrSelf(x));
  return type.getNumElements() * type.getElementTypeBitWidth() / 8 > cpu.heuristics.maxCachedBytes;
}

Value convertedOnce(LoweringContext &c, Value x, const ReducedMaps &maps) {
  const Cpu &cpu = c.cpu();
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.getElementType().isBF16() || maps.greatestCount() < cpu.heuristics.minConvertedRow ||
      maps.greatestCount() > cpu.heuristics.maxConvertedRow || isLarge(cpu, x))
    return x;
  return c.elementwise(type.clone(computeType(type.getElementType())), x,
                       [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

Value meanOf(LoweringContext &c, const Normalized &n) {
  Value total =
      sum(c, n, n.x, n.maps.full, [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  SizeAsFloat count = countOf(c, n);
  return onMeans(c, n, total, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return arith::DivFOp::create(b, loc, v[0], count(b, loc));
  });
}

Value inverseDeviation(LoweringContext &c, const Normalized &n, Value centre) {
  SmallVector<Value> inputs{n.x};
  SmallVector<AffineMap> maps{n.maps.full};
  if (centre) {
    inputs.push_back(centre);
    maps.push_back(n.maps.kept);
  }
  Value squares = sum(c, n, inputs, maps, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value d = centre ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult() : v[0];
    return arith::MulFOp::create(b, loc, d, d);
  });
  SizeAsFloat count = countOf(c, n);
  return onMeans(c, n, squares, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    mlir::Type type = v[0].getType();
    Value variance = arith::DivFOp::create(b, loc, v[0], count(b, loc));
    auto shifted = [&](Value v) -> Value {
      return arith::AddFOp::create(b, loc, v, c.scalar(type, n.epsilon));
    };
    Value root = math::SqrtOp::create(b, loc, n.isOutsideRoot ? variance : shifted(variance));
    return arith::DivFOp::create(b, loc, c.scalar(type, 1.0),
                                 n.isOutsideRoot ? shifted(root) : root);
  });
}

Value normalized(LoweringContext &c, const Normalized &n, Value centre, Value inverse,
                 Broadcast scale, Broadcast shift) {
  SmallVector<Value> inputs{n.x, inverse};
  SmallVector<AffineMap> maps{n.maps.full, n.maps.kept};
  auto add = [&](Value value, AffineMap map) {
    if (!value)
      return size_t(0);
    inputs.push_back(value);
    maps.push_back(map);
    return inputs.size() - 1;
  };
  size_t centreAt = add(centre, n.maps.kept), scaleAt = add(scale.value, scale.map),
         shiftAt = add(shift.value, shift.map);
  maps.push_back(n.maps.full);
  return onElements(c, n, c.emptyLike(n.x, n.type.getElementType()), inputs, maps,
                    [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                      Value y = v[0];
                      if (centreAt)
                        y = arith::SubFOp::create(b, loc, y, v[centreAt]);
                      y = arith::MulFOp::create(b, loc, y, v[1]);
                      if (scaleAt)
                        y = arith::MulFOp::create(b, loc, y, v[scaleAt]);
                      if (shiftAt)
                        y = arith::AddFOp::create(b, loc, y, v[shiftAt]);
                      return y;
                    });
}

/// True if scale and bias would push rows that come from memory out of L1. Rows that
/// come from other caches are back sooner than parameters are converted.
static bool staysNarrow(LoweringContext &c, RankedTensorType parameter) {
  int64_t parameters = c.hasInput(2) ? 2 : 1;
  return parameter.getNumElements() * parameters > c.cpu().heuristics.maxConvertedParameters &&
         isLarge(c.cpu(), c.operand(0));
}

Value parameterOf(LoweringContext &c, size_t i) {
  Value value = c.operand(i);
  if (!value)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  Type narrow = type.getElementType(), computeElement = computeType(narrow);
  const GraphValue &weight = c.graph.values[c.node.inputs[i]];
  if (narrow == computeElement || weight.kind != ValueKind::weight || !weight.data ||
      staysNarrow(c, type))
    return value;
  std::vector<char> bytes;
  for (size_t at = 0; at + sizeof(uint16_t) <= weight.data->size(); at += sizeof(uint16_t)) {
    uint16_t bits = 0;
    std::memcpy(&bits, weight.data->data() + at, sizeof bits);
    auto number = static_cast<float>(doubleOfHalf(narrow.isBF16() ? bf16Format : f16Format, bits));
    const char *from = reinterpret_cast<const char *>(&number);
    bytes.insert(bytes.end(), from, from + sizeof number);
  }
  return denseConstant(c.b, c.loc, type.clone(computeElement),
                       c.node.name + "_" + std::to_string(i), bytes);
}

} // namespace kgen
