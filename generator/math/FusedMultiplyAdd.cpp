// a b + c rounded once, on targets without the instruction; and other functions of few operations.
#include "math/Functions.h"

#include <mlir/Dialect/Math/IR/Math.h>

#include <limits>

using namespace mlir;

namespace kgen::vecmath {

namespace {

/// The sum, rounded to odd: towards 0, with a last bit of 1 if that is not exact. Rounding it to
/// fewer digits gives what rounding the exact sum gives (S. Boldo, G. Melquiond, "Emulation of a
/// FMA and correctly rounded sums", 2008).
FloatValue oddSum(FloatValue a, FloatValue b) {
  Pair sum = exactSum(a, b);
  Mask isLess = sum.low<0.0, isMore = sum.low> 0.0;
  Mask isAway = (isLess && sum.high > 0.0) || (isMore && sum.high < 0.0);
  BitsValue bits = sum.high.bits();
  BitsValue towardsZero = isAway.select(bits - bits.constant(1), bits);
  return (isLess || isMore).select((towardsZero | 1).real(), sum.high);
}

/// In f64, in which the product is exact.
FloatValue inF64(FloatValue a, FloatValue b, FloatValue c, const Emitter &emitter) {
  OpBuilder &builder = emitter.builder;
  Type type = builder.getF64Type();
  if (auto vector = dyn_cast<VectorType>(emitter.type))
    type = vector.clone(type);
  Emitter wide{builder, emitter.loc, type};
  auto extended = [&](FloatValue x) -> FloatValue {
    return {wide, arith::ExtFOp::create(builder, emitter.loc, type, x.value())};
  };
  FloatValue sum = oddSum(extended(a) * extended(b), extended(c));
  return {emitter, arith::TruncFOp::create(builder, emitter.loc, emitter.type, sum.value())};
}

/// As exactProduct(), to the last digit: the product of the lower halves, which have 27 digits, is
/// the sum of two.
Pair wholeProduct(FloatValue a, FloatValue b) {
  FloatValue product = a * b;
  FloatValue ah = a.upperHalf(), bh = b.upperHalf(), al = a - ah, bl = b - bh;
  FloatValue upper = al.upperHalf(), lower = al - upper;
  return {product, (((ah * bh - product) + ah * bl) + al * bh) + upper * bl + lower * bl};
}

} // namespace

/// In f64 by pairs, scaled where a product is so large that it overflows, or so small that its low
/// part is lost.
FloatValue fusedMultiplyAdd(FloatValue a, FloatValue b, FloatValue c, const Emitter &emitter) {
  if (!emitter.isF64())
    return inF64(a, b, c, emitter);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FloatValue plain = a * b, size = plain.magnitude();
  Mask isLarge = !(size < 0x1p1000), isSmall = size < 0x1p-900 && c.magnitude() < 0x1p800;
  auto scaled = [&](double large, double small) {
    return isLarge.select(large, isSmall.select(small, a.constant(1.0)));
  };
  FloatValue scale = scaled(0x1p-60, 0x1p110);
  Pair product = wholeProduct(a * scale, b), sum = exactSum(product.high, c * scale);
  FloatValue result = (sum.high + (sum.low + product.low)) * scaled(0x1p60, 0x1p-110);
  // The sum of zeros, and of what is no number, is that of a plain product, but for products that
  // are 0 or infinite for want of digits.
  Mask isZero = a == 0.0 || b == 0.0;
  Mask areNumbers = a.magnitude() < infinity && b.magnitude() < infinity;
  Mask isInfinite = c.magnitude() == infinity;
  FloatValue others = (c == 0.0 && !isZero).select(plain, plain + c);
  others = (isInfinite && areNumbers).select(c, others);
  Mask isUsual = sum.high.magnitude() < infinity && !isInfinite && !isZero && !(c == 0.0);
  return isUsual.select(result, others);
}

FloatValue round(FloatValue x, const Emitter &) {
  FloatValue whole = x.truncated();
  FloatValue away = whole + x.constant(1.0).withSignOf(x);
  return ((x - whole).magnitude() < 0.5).select(whole, away);
}

FloatValue rsqrt(FloatValue x, const Emitter &) { return 1.0 / x.root(); }

} // namespace kgen::vecmath
