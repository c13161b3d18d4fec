#include "ops/Float8.h"

#include "support/Float8.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t signBit = 0x80, otherBits = 0x7f; // of 8 bits
constexpr int64_t infinity = 0x7f800000, quietNaN = 0x7fc00000;
constexpr int fraction = 23, bias = 127; // of f32

/// Operations on the bits of f32, as i32.
struct Bits {
  OpBuilder &b;
  mlir::Location loc;

  Value number(int64_t value) const {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value real(double value) const {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value left(Value x, int64_t count) const {
    return arith::ShLIOp::create(b, loc, x, number(count));
  }
  Value right(Value x, int64_t count) const {
    return arith::ShRUIOp::create(b, loc, x, number(count));
  }
  Value andOf(Value x, int64_t mask) const {
    return arith::AndIOp::create(b, loc, x, number(mask));
  }
  Value add(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
  Value orOf(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
  /// `then` where x > limit, both not negative.
  Value above(Value x, int64_t limit, Value then, Value otherwise) const {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, x, number(limit));
    return arith::SelectOp::create(b, loc, is, then, otherwise);
  }
  Value asReal(Value x) const { return arith::BitcastOp::create(b, loc, b.getF32Type(), x); }
  Value asBits(Value x) const { return arith::BitcastOp::create(b, loc, b.getI32Type(), x); }
};

} // namespace

Value fromFloat8(OpBuilder &b, mlir::Location loc, Value bits, ElementType type) {
  Float8Format f = float8Format(type);
  Bits o{b, loc};
  Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
  Value magnitude = o.andOf(wide, otherBits);
  // The exponent has another bias: a factor, which makes subnormal numbers normal, too.
  Value shifted = o.asReal(o.left(magnitude, fraction - f.fractionBits));
  Value factor = o.real(std::ldexp(1.0, bias - f.bias));
  Value result = o.asBits(arith::MulFOp::create(b, loc, shifted, factor));
  if (f.nan > f.largest)
    result = o.above(magnitude, f.largest, o.number(infinity), result);
  result = o.above(magnitude, f.nan, o.number(quietNaN), result);
  return o.asReal(o.orOf(result, o.left(o.andOf(wide, signBit), 24)));
}

Value toFloat8(OpBuilder &b, mlir::Location loc, Value x, ElementType type, Overflow overflow) {
  Float8Format f = float8Format(type);
  Bits o{b, loc};
  Value bits = o.asBits(x), magnitude = o.andOf(bits, 0x7fffffff);
  const int lost = fraction - f.fractionBits;
  // Half a unit is added, less one where the last bit that stays is even.
  Value last = o.andOf(o.right(magnitude, lost), 1);
  Value half = o.add(last, o.number((int64_t(1) << (lost - 1)) - 1));
  Value normal = o.add(o.right(o.add(magnitude, half), lost),
                       o.number(-(int64_t(bias - f.bias) << f.fractionBits)));
  // Below the smallest normal number, units are those of the last digit of a sum with `magic`.
  Value magic = o.real(std::ldexp(1.0, 1 - f.bias - f.fractionBits + fraction));
  Value sum = arith::AddFOp::create(b, loc, o.asReal(magnitude), magic);
  Value units = arith::SubIOp::create(b, loc, o.asBits(sum), o.asBits(magic));
  int64_t smallestNormal = int64_t(bias + 1 - f.bias) << fraction;
  Value result = o.above(magnitude, smallestNormal - 1, normal, units);
  if (overflow == Overflow::saturates)
    result = arith::MinSIOp::create(b, loc, result, o.number(f.largest));
  else
    result = o.above(result, f.largest, o.number(f.nan > f.largest ? f.nan : otherBits), result);
  result = o.orOf(result, o.andOf(o.right(bits, 24), signBit));
  result = o.above(magnitude, infinity, o.number(otherBits), result);
  return arith::TruncIOp::create(b, loc, b.getI8Type(), result);
}

} // namespace kgen
