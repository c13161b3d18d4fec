// tan(x) = sin(x) / cos(x).
#include "math/Coefficients.h"
#include "math/Functions.h"
#include "math/SinCos.h"
#include "math/TableLookup.h"

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

/// In f64, so that the errors of both do not add up.
Real quotientOfSinCos(Real x, const Site &site) {
  if (site.isF64())
    return sin(x, site) / cos(x, site);
  mlir::OpBuilder &b = site.builder;
  mlir::Type type = b.getF64Type();
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(site.type))
    type = vector.clone(type);
  Site wide{b, site.loc, type, site.machine};
  Real extended(wide, mlir::arith::ExtFOp::create(b, site.loc, type, x.value()));
  Real quotient = sin(extended, wide) / cos(extended, wide);
  return {site, mlir::arith::TruncFOp::create(b, site.loc, site.type, quotient.value())};
}

} // namespace

/// Large numbers, which are rare and not in f16, take a branch.
Real tan(Real x, const Site &site) {
  auto ofLarge = [&] { return quotientOfSinCos(x, site); };
  if (!site.machine.hasFma)
    return ofLarge();
  Real usual = tanByParts(x, site);
  if (isLowPrecision(site) && site.significantBits > 8)
    return usual;
  Truth isFar = !(x.magnitude() < (site.isF64() ? nearLimitF64 : nearLimitF32));
  return ifAny(isFar, usual, [&] { return isFar.select(ofLarge(), usual); });
}

} // namespace kgen::vecmath
