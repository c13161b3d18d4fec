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
Real oddSum(Real a, Real b) {
  Pair sum = exactSum(a, b);
  Truth isLess = sum.low<0.0, isMore = sum.low> 0.0;
  Truth isAway = (isLess && sum.high > 0.0) || (isMore && sum.high < 0.0);
  Bits bits = sum.high.bits();
  Bits towardsZero = isAway.select(bits - bits.constant(1), bits);
  return (isLess || isMore).select((towardsZero | 1).real(), sum.high);
}

/// In f64, in which the product is exact.
Real inF64(Real a, Real b, Real c, const Site &site) {
  OpBuilder &builder = site.builder;
  Type type = builder.getF64Type();
  if (auto vector = dyn_cast<VectorType>(site.type))
    type = vector.clone(type);
  Site wide{builder, site.loc, type};
  auto extended = [&](Real x) -> Real {
    return {wide, arith::ExtFOp::create(builder, site.loc, type, x.value())};
  };
  Real sum = oddSum(extended(a) * extended(b), extended(c));
  return {site, arith::TruncFOp::create(builder, site.loc, site.type, sum.value())};
}

/// As exactProduct(), to the last digit: the product of the lower halves, which have 27 digits, is
/// the sum of two.
Pair wholeProduct(Real a, Real b) {
  Real product = a * b;
  Real ah = a.upperHalf(), bh = b.upperHalf(), al = a - ah, bl = b - bh;
  Real upper = al.upperHalf(), lower = al - upper;
  return {product, (((ah * bh - product) + ah * bl) + al * bh) + upper * bl + lower * bl};
}

} // namespace

/// In f64 by pairs, scaled where a product is so large that it overflows, or so small that its low
/// part is lost.
Real fusedMultiplyAdd(Real a, Real b, Real c, const Site &site) {
  if (!site.isF64())
    return inF64(a, b, c, site);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Real plain = a * b, size = plain.magnitude();
  Truth isLarge = !(size < 0x1p1000), isSmall = size < 0x1p-900 && c.magnitude() < 0x1p800;
  auto scaled = [&](double large, double small) {
    return isLarge.select(large, isSmall.select(small, a.constant(1.0)));
  };
  Real scale = scaled(0x1p-60, 0x1p110);
  Pair product = wholeProduct(a * scale, b), sum = exactSum(product.high, c * scale);
  Real result = (sum.high + (sum.low + product.low)) * scaled(0x1p60, 0x1p-110);
  // The sum of zeros, and of what is no number, is that of a plain product, but for products that
  // are 0 or infinite for want of digits.
  Truth isZero = a == 0.0 || b == 0.0;
  Truth areNumbers = a.magnitude() < infinity && b.magnitude() < infinity;
  Truth isInfinite = c.magnitude() == infinity;
  Real others = (c == 0.0 && !isZero).select(plain, plain + c);
  others = (isInfinite && areNumbers).select(c, others);
  Truth isUsual = sum.high.magnitude() < infinity && !isInfinite && !isZero && !(c == 0.0);
  return isUsual.select(result, others);
}

Real round(Real x, const Site &) {
  Real whole = x.truncated();
  Real away = whole + x.constant(1.0).withSignOf(x);
  return ((x - whole).magnitude() < 0.5).select(whole, away);
}

Real rsqrt(Real x, const Site &) { return 1.0 / x.root(); }

} // namespace kgen::vecmath
