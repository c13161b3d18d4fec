// tan(x) = sin(x) / cos(x).
#include "transforms/math/Coefficients.h"
#include "transforms/math/Functions.h"
#include "transforms/math/SinCos.h"
#include "transforms/math/TableLookup.h"

namespace kgen::vecmath {

namespace {

/// pi/2 in parts; those of f32 but the last have so few bits that their products with a count are
/// exact.
llvm::ArrayRef<double> halfPiPartsOf(const Site &site) {
  static constexpr double ofF32[] = {0x1.921fb4p+0, 0x1.4442dp-24, 0x1.846988p-48};
  if (site.isF64())
    return longHalfPiParts;
  return llvm::ArrayRef<double>(ofF32).drop_back(isLowPrecision(site) ? 1 : 0);
}

/// Subtracts the nearest multiple of pi/2. For an odd one, sine and cosine of the remainder are
/// swapped.
Real tanByParts(Real x, const Site &site) {
  const double magic = site.isF64() ? 0x1.8p52 : 0x1.8p23;
  Real shifted = fma(x, twoOverPi, magic), n = shifted - magic;
  Real r = x;
  for (double part : halfPiPartsOf(site))
    r = fma(n, -part, r);
  Real square = r * r;
  bool isLow = isLowPrecision(site);
  Real sine = r * horner(square, isLow ? KGEN_LOW_PRECISION_TABLE(sinOfEighthTurn, site)
                                       : KGEN_TABLE(sinOfEighthTurn, site));
  Real cosine = horner(square, isLow ? KGEN_LOW_PRECISION_TABLE(cosOfEighthTurn, site)
                                     : KGEN_TABLE(cosOfEighthTurn, site));
  Truth isEven = (shifted.bits() & 1) < 1;
  Real quotient = isEven.select(sine, cosine) / isEven.select(cosine, sine);
  return (quotient.bits() + (shifted.bits() << (site.isF64() ? 63 : 31))).real();
}

} // namespace

/// Large numbers, which are rare and not in f16, take a branch.
Real tan(Real x, const Site &site) {
  auto ofLarge = [&] { return sin(x, site) / cos(x, site); };
  if (!site.machine.hasFma)
    return ofLarge();
  Real usual = tanByParts(x, site);
  if (isLowPrecision(site) && site.significantBits > 8)
    return usual;
  Truth isFar = !(x.magnitude() < (site.isF64() ? nearLimitF64 : nearLimitF32));
  return ifAny(isFar, usual, [&] { return isFar.select(ofLarge(), usual); });
}

} // namespace kgen::vecmath
