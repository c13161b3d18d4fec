#include "ops/Conversion.h"

#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {

bool computesUnsigned(ElementType type) { return isUnsigned(type) && byteWidth(type) >= 4; }

std::pair<int64_t, int64_t> limitsOf(ElementType type) {
  if (type == ElementType::boolean)
    return {0, 1};
  unsigned bits = bitWidth(type);
  if (isUnsigned(type))
    return {0, static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> (64 - bits))};
  return {std::numeric_limits<int64_t>::min() >> (64 - bits),
          std::numeric_limits<int64_t>::max() >> (64 - bits)};
}

namespace {

/// Builds the operations of one conversion.
class Converter {
public:
  Converter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value real(Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }

  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }

  Value compare(arith::CmpFPredicate predicate, Value x, double bound) {
    return arith::CmpFOp::create(b, loc, predicate, x, real(x.getType(), bound));
  }

  Value choose(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

  Value clamped(Value x, double low, double high) {
    Value above = choose(compare(arith::CmpFPredicate::OGT, x, low), x, real(x.getType(), low));
    return choose(compare(arith::CmpFPredicate::OLT, above, high), above, real(x.getType(), high));
  }

  Value toNarrow(Value x, ElementType type) {
    Value asI32 = arith::FPToSIOp::create(b, loc, b.getI32Type(), x);
    unsigned bits = 8 * byteWidth(type);
    return bits == 32 ? asI32 : arith::TruncIOp::create(b, loc, b.getIntegerType(bits), asI32);
  }

  Value floatToInteger(Value x, ElementType to) {
    auto [low, high] = limitsOf(to);
    if (byteWidth(to) <= 2) {
      Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
      Value number = choose(isNaN, real(x.getType(), 0), x);
      return toNarrow(clamped(number, low, high), to);
    }
    // The largest values of these types are no floats: results that are out of range are selected
    // last.
    bool hasSign = !isUnsigned(to);
    double limit = std::ldexp(1.0, 8 * byteWidth(to) - hasSign), lowest = hasSign ? -limit : 0.0;
    Type type = b.getIntegerType(8 * byteWidth(to));
    Value large = compare(arith::CmpFPredicate::OGE, x, limit);
    Value small = compare(arith::CmpFPredicate::OLE, x, lowest);
    Value notLarge = compare(arith::CmpFPredicate::OLT, x, limit);
    Value notSmall = compare(arith::CmpFPredicate::OGT, x, lowest);
    Value inside = arith::AndIOp::create(b, loc, notLarge, notSmall); // false for NaN
    Value safe = choose(inside, x, real(x.getType(), 0));
    Value result = hasSign ? arith::FPToSIOp::create(b, loc, type, safe).getResult()
                           : arith::FPToUIOp::create(b, loc, type, safe).getResult();
    result = choose(large, integer(type, high), result);
    return choose(small, integer(type, low), result);
  }

  /// An f64 as an f32 whose last bit says whether digits were lost: rounded once more to a type
  /// with at least two bits less, it becomes what the f64 would.
  Value roundedToOdd(Value x) {
    Type bitsType = b.getI32Type();
    Value nearest = arith::TruncFOp::create(b, loc, b.getF32Type(), x);
    Value back = arith::ExtFOp::create(b, loc, b.getF64Type(), nearest);
    Value bits = arith::BitcastOp::create(b, loc, bitsType, nearest);
    Value lastBit = arith::AndIOp::create(b, loc, bits, integer(bitsType, 1));
    Value even =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lastBit, integer(bitsType, 0));
    Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, x);
    Value grew =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back),
                              math::AbsFOp::create(b, loc, x));
    Value step = choose(grew, integer(bitsType, -1), integer(bitsType, 1));
    Value other = arith::AddIOp::create(b, loc, bits, step);
    Value wrong = arith::AndIOp::create(b, loc, inexact, even);
    return arith::BitcastOp::create(b, loc, b.getF32Type(), choose(wrong, other, bits));
  }

  Value toFloat(Value x, ElementType from, Type type) {
    if (computesUnsigned(from))
      return arith::UIToFPOp::create(b, loc, type, x);
    return arith::SIToFPOp::create(b, loc, type, x);
  }

  /// An i64 or u64 as an f64, rounded to odd.
  Value longToDouble(Value x, ElementType from) {
    Type type = b.getI64Type();
    constexpr int64_t lost = 11; // 64 bits less the 53 of an f64
    Value distance = integer(type, lost);
    Value upper = isUnsigned(from) ? arith::ShRUIOp::create(b, loc, x, distance).getResult()
                                   : arith::ShRSIOp::create(b, loc, x, distance).getResult();
    Value lower = arith::AndIOp::create(b, loc, x, integer(type, (1 << lost) - 1));
    Value hasLower =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, lower, integer(type, 0));
    Value sticky = arith::ExtUIOp::create(b, loc, type, hasLower);
    Value odd =
        arith::ShLIOp::create(b, loc, arith::OrIOp::create(b, loc, upper, sticky), distance);
    Value magnitude = isUnsigned(from) ? x : math::AbsIOp::create(b, loc, x).getResult();
    // Unsigned, because the smallest number stays negative.
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, magnitude,
                                       integer(type, int64_t(1) << 53));
    return toFloat(choose(fits, x, odd), from, b.getF64Type());
  }

  Value integerToFloat(Value x, ElementType from, ElementType to) {
    bool narrow = to == ElementType::bf16 || to == ElementType::f16 || isFloat8(to);
    Type type = to == ElementType::f64 ? b.getF64Type() : b.getF32Type();
    if (byteWidth(from) <= 2)
      x = extended(b, loc, x, from, b.getI32Type());
    else if (narrow && byteWidth(from) == 4)
      return roundedToOdd(toFloat(x, from, b.getF64Type()));
    else if (narrow)
      return roundedToOdd(longToDouble(x, from));
    return toFloat(x, from, type);
  }

  Value floatToFloat(Value x, ElementType to) {
    bool isF64 = isa<Float64Type>(x.getType());
    if (isF64 == (to == ElementType::f64))
      return x;
    if (!isF64)
      return arith::ExtFOp::create(b, loc, b.getF64Type(), x);
    return to == ElementType::f32 ? arith::TruncFOp::create(b, loc, b.getF32Type(), x)
                                  : roundedToOdd(x);
  }

  /// An f32 in a type of 16 bits. By its mode, the rounding is known as one that was asked for.
  Value toNarrow(Value x, FloatType type) {
    auto mode = arith::RoundingModeAttr::get(b.getContext(), arith::RoundingMode::to_nearest_even);
    return arith::TruncFOp::create(b, loc, type, x, mode, arith::FastMathFlagsAttr());
  }

  Value integerToInteger(Value x, ElementType from, ElementType to) {
    Type type = b.getIntegerType(8 * byteWidth(to));
    if (byteWidth(to) >= byteWidth(from))
      x = extended(b, loc, x, from, type);
    else
      x = arith::TruncIOp::create(b, loc, type, x);
    return bitWidth(to) == 4 ? nibble(x, to) : x;
  }

  /// The number of the lower four bits of a byte.
  Value nibble(Value x, ElementType to) {
    if (isUnsigned(to))
      return arith::AndIOp::create(b, loc, x, integer(x.getType(), 15));
    Value upper = arith::ShLIOp::create(b, loc, x, integer(x.getType(), 4));
    return arith::ShRSIOp::create(b, loc, upper, integer(x.getType(), 4));
  }

  Value isNotZero(Value x) {
    Value truth;
    if (isa<FloatType>(x.getType()))
      truth = compare(arith::CmpFPredicate::UNE, x, 0);
    else
      truth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x, integer(x.getType(), 0));
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), truth);
  }

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

Value extended(OpBuilder &b, Location loc, Value x, ElementType type, Type wider) {
  if (x.getType() == wider)
    return x;
  if (isUnsigned(type))
    return arith::ExtUIOp::create(b, loc, wider, x);
  return arith::ExtSIOp::create(b, loc, wider, x);
}

Value quantizedAround(OpBuilder &b, Location loc, Value x, int64_t zeroPoint, ElementType type) {
  Converter c(b, loc);
  auto [low, high] = limitsOf(type);
  // Bounds are whole numbers: it is the same to clamp before rounding, which then is a conversion.
  x = c.clamped(x, static_cast<double>(low - zeroPoint), static_cast<double>(high - zeroPoint));
  Value number =
      arith::FPToSIOp::create(b, loc, b.getI32Type(), math::RoundEvenOp::create(b, loc, x));
  if (zeroPoint != 0)
    number = arith::AddIOp::create(b, loc, number, c.integer(number.getType(), zeroPoint));
  unsigned bits = 8 * byteWidth(type);
  return bits == 32 ? number
                    : arith::TruncIOp::create(b, loc, b.getIntegerType(bits), number).getResult();
}

Value quantized(OpBuilder &b, Location loc, Value x, Value zeroPoint, ElementType type) {
  if (!zeroPoint)
    return quantizedAround(b, loc, x, 0, type);
  Converter c(b, loc);
  auto [low, high] = limitsOf(type);
  Value result = math::RoundEvenOp::create(b, loc, x);
  // Exact, or far out of the type's range.
  result = arith::AddFOp::create(b, loc, result, zeroPoint);
  return c.toNarrow(c.clamped(result, low, high), type);
}

Value castElement(OpBuilder &b, Location loc, Value x, ElementType from, ElementType to,
                  Overflow overflow) {
  Converter c(b, loc);
  if (from == to)
    return x;
  if (isFloat8(from)) {
    x = fromFloat8(b, loc, x, from);
    from = ElementType::f32;
    if (to == from)
      return x;
  }
  if (to == ElementType::boolean)
    return c.isNotZero(x);
  if (!isFloat(to))
    return isFloat(from) ? c.floatToInteger(x, to) : c.integerToInteger(x, from, to);
  Value result = isFloat(from) ? c.floatToFloat(x, to) : c.integerToFloat(x, from, to);
  if (isFloat8(to))
    return toFloat8(b, loc, result, to, overflow);
  if (to == ElementType::bf16)
    return c.toNarrow(result, b.getBF16Type());
  return to == ElementType::f16 ? c.toNarrow(result, b.getF16Type()) : result;
}

Value computed(LoweringContext &c, ValueRange operands, const LoweringContext::Body &body) {
  const ElementType type = c.input(0).element;
  if (isFloat(type) || byteWidth(type) > 2)
    return c.elementwise(c.resultTensor(), operands, body);
  auto inI32 = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    SmallVector<Value> asI32;
    for (Value v : x)
      asI32.push_back(extended(b, loc, v, type, b.getI32Type()));
    return arith::TruncIOp::create(b, loc, b.getIntegerType(8 * byteWidth(type)),
                                   body(b, loc, asI32));
  };
  return c.elementwise(c.resultTensor(), operands, inI32);
}

} // namespace kgen
