// exp(x) = 2^n exp(r) with n = round(x / ln 2) and |r| <= ln(2) / 2.
#include "math/Exp.h"
#include "math/Coefficients.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace kgen::vecmath {

/// Up to here, neither the exponential nor its reciprocal is subnormal.
static constexpr double maxNormalExp = 87.0;

namespace {
struct Reduction {
  Real n;                // an integer
  Real factor1, factor2; // 2^n
};
} // namespace

/// Adding 1.5 * 2^mantissaBits leaves the rounded integer in the low bits of the sum. With two
/// exponent biases added it is positive, so a logical shift halves it. Shifting the halves into the
/// exponent field drops the bits above them.
static Reduction reductionOf(Real shifted, double magic, const Site &site) {
  Bits biased = shifted.bits() + 2 * site.exponentBias();
  Bits half = biased >> 1;
  Real factor1 = (half << site.mantissaBits()).real();
  Real factor2 = ((biased - half) << site.mantissaBits()).real();
  return {shifted - magic, factor1, factor2};
}

/// Returns what leaves the rounded integer in the low bits of a sum.
static double integerMagic(const Site &site) {
  return 1.5 * double(uint64_t(1) << site.mantissaBits());
}

static Reduction reduce(Real x, const Site &site) {
  double magic = integerMagic(site);
  return reductionOf(fma(x, log2E, magic), magic, site);
}

/// exp(r) - 1 = r + r^2 p(r)
static Real expMinusOne(Real r, const Site &site) {
  Real p = polynomial(r, KGEN_TABLE(expRest, site));
  return fma(r * r, p, r);
}

ScaledExp scaledExp(Real x, const Site &site) {
  Reduction by = reduce(x, site);
  Real head = fma(by.n, -ln2(site).head, x);
  Real r = fma(by.n, -ln2(site).rest, head);
  return {expMinusOne(r, site), by.factor1, by.factor2};
}

ScaledExp scaledExp(Real x, Real rest, const Site &site) {
  Reduction by = reduce(x, site);
  Real head = fma(by.n, -ln2(site).head, x);
  Real tail = fma(by.n, -ln2(site).rest, rest);
  return {expMinusOne(head + tail, site), by.factor1, by.factor2};
}

/// One factor suffices: 2^(n + by), whose exponent field comes from the sum.
static NormalExp normalExp(Real x, const Real *rest, int64_t by, const Site &site) {
  double magic = 1.5 * double(uint64_t(1) << site.mantissaBits());
  Real shifted = fma(x, log2E, magic);
  Real n = shifted - magic;
  Real factor = ((shifted.bits() + (site.exponentBias() + by)) << site.mantissaBits()).real();
  Real head = fma(n, -ln2(site).head, x);
  Real r = rest ? head + fma(n, -ln2(site).rest, *rest) : fma(n, -ln2(site).rest, head);
  return {expMinusOne(r, site), factor};
}

NormalExp normalExp(Real x, int64_t by, const Site &site) {
  return normalExp(x, nullptr, by, site);
}

NormalExp normalExp(Pair x, int64_t by, const Site &site) {
  return normalExp(x.high, &x.low, by, site);
}

Real normalExpm1(Real x, const Site &site) {
  NormalExp e = normalExp(x, 0, site);
  return fma(e.rest, e.factor, e.factor - 1.0);
}

/// The lowest bits of `shifted` select a factor from the table. The table compensates for what
/// these bits add to the exponent field.
static Real powerFromTable(Real shifted, llvm::ArrayRef<double> powers, int64_t by) {
  llvm::SmallVector<double> scaled;
  for (double power : powers)
    scaled.push_back(std::ldexp(power, static_cast<int>(by)));
  unsigned shift = shifted.where().mantissaBits() - llvm::Log2_64(powers.size());
  return ((shifted.bits() << shift) + lookup(shifted.bits(), scaled).bits()).real();
}

Real powerOfEighths(Real shifted, int64_t by) { return powerFromTable(shifted, expEighthsF32, by); }

namespace {
/// x = n ln 2 + r with n a multiple of 1/8 or 1/16, and `factor` = 2^(n + by).
struct TableReduction {
  Real r, factor;
};
} // namespace

/// n is a multiple of 1 / powers.size().
static TableReduction reduceByTable(Real x, llvm::ArrayRef<double> powers, int64_t by,
                                    const Site &site) {
  const double magic = 0x1.8p23 / static_cast<double>(powers.size());
  Real shifted = fma(x, log2E, magic);
  Real n = shifted - magic;
  Real factor = powerFromTable(shifted, powers, by);
  if (site.hasReducedPrecision())
    return {fma(n, -1.0 / log2E, x), factor};
  Real head = fma(n, -ln2(site).head, x);
  return {fma(n, -ln2(site).rest, head), factor};
}

/// True if 1 + r is precise enough for exp(r), |r| <= ln(2) / 32.
static bool hasShortSixteenths(const Site &site) {
  return site.significantBits == 8 && hasLongLookups(site);
}

static NormalExp expBySixteenths(Real x, llvm::ArrayRef<double> powers, int64_t by,
                                 const Site &site) {
  auto [r, factor] = reduceByTable(x, powers, by, site);
  return {r, factor};
}

NormalExp tableExp(Real x, int64_t by, const Site &site) {
  if (!hasLookups(site))
    return normalExp(x, by, site);
  return hasShortSixteenths(site) ? expBySixteenths(x, expSixteenthsBf16, by, site)
                                  : tableExp(x, expEighthsF32, by, site);
}

NormalExp tableExp(Real x, llvm::ArrayRef<double> powers, int64_t by, const Site &site) {
  if (!site.hasReducedPrecision())
    return tableExp(x, powers, expRestOfEighthF32, by, site);
  auto [r, factor] = reduceByTable(x, powers, by, site);
  return {r * horner(r, expSlopesOfEighthLowPrecision), factor};
}

NormalExp tableExp(Real x, llvm::ArrayRef<double> powers, llvm::ArrayRef<double> rest, int64_t by,
                   const Site &site) {
  auto [r, factor] = reduceByTable(x, powers, by, site);
  return {fma(r * r, horner(r, rest), r), factor};
}

Range expRange(const Site &site) {
  return site.isF64() ? Range{-746.0, 710.0} : Range{-105.0, 89.0};
}

/// With e = 2^n (1 + r): 2^n r + (2^n - 1). For large x, exp(x) itself is the result: the 1 is
/// below its precision, and the sum would overflow early.
static Real exactExpm1(Real x, const Site &site) {
  Range range = expRange(site);
  ScaledExp e = scaledExp(x.atMost(range.high).atLeast(range.low), site);
  Real power = e.factor1 * e.factor2;
  Real result = fma(e.rest, power, power - 1.0);
  result = (x > 44.0).select(e.value(), result);
  return (x == 0.0).select(x, result); // -0 stays
}

/// For small results n is 0, so nothing cancels; -0 stays.
static Real lowPrecisionExpm1(Real x, Real limited, const Site &site) {
  auto [r, factor] = reduceByTable(limited, expEighthsF32, 0, site);
  Real sum = fma(r * horner(r, KGEN_LOW_PRECISION_TABLE(expm1Slope, site)), factor, factor - 1.0);
  return (sum.bits() | x.signBits()).real();
}

/// Below this argument, the result rounds to -1.
static constexpr double minExpm1Argument = -30.0;

/// For results in f16, values above maxNormalExp overflow anyway; for bf16 they take a branch.
Real expm1(Real x, const Site &site) {
  if (!isLowPrecision(site))
    return exactExpm1(x, site);
  Real limited = x.atLeast(minExpm1Argument);
  if (site.significantBits > 8)
    return lowPrecisionExpm1(x, limited.atMost(maxNormalExp), site);
  Real usual = lowPrecisionExpm1(x, limited, site);
  Truth isLarge = x > maxNormalExp;
  return ifAny(isLarge, usual, [&] { return isLarge.select(exactExpm1(x, site), usual); });
}

Real expm1OfNegative(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionExpm1(x, x.atLeast(minExpm1Argument), site);
  Real result = normalExpm1(x.atLeast(site.isF64() ? -40.0 : minExpm1Argument), site);
  return (result.bits() | x.signBits()).real();
}

static Real exactExp(Real x, const Site &site) {
  Range range = expRange(site);
  return scaledExp(x.atMost(range.high).atLeast(range.low), site).value();
}

Real exp(Real x, const Site &site) {
  if (!isLowPrecision(site))
    return exactExp(x, site);
  Truth isUsual = x.magnitude() < maxNormalExp;
  return ifAny(!isUsual, tableExp(x, 0, site).value(), [&] { return exactExp(x, site); });
}

/// x - n is exact. Beyond the bounds, the result is infinite or 0.
Real exp2(Real x, const Site &site) {
  Real limited = site.isF64() ? x.atMost(1025.0).atLeast(-1076.0) : x.atMost(129.0).atLeast(-151.0);
  double magic = integerMagic(site);
  Reduction by = reductionOf(limited + magic, magic, site);
  Real rest = expMinusOne((limited - by.n) * llvm::numbers::ln2, site);
  return ScaledExp{rest, by.factor1, by.factor2}.value();
}

/// exp(0) is exactly 1, so that the logarithm of a sum of exponentials is precise near 0. Within
/// half a sixteenth of an octave around 0, other results have an error of 2^-12.
static NormalExp expFromOne(Real x, const Site &site) {
  if (!hasShortSixteenths(site))
    return tableExp(x, 0, site);
  llvm::SmallVector<double> powers(std::begin(expSixteenthsBf16), std::end(expSixteenthsBf16));
  powers.front() = 1.0;
  return expBySixteenths(x, powers, 0, site);
}

/// Instead of an x that is close to 0, not positive, another one whose power rounds to 1, too. The
/// products of polynomials remain normal then: processors take some hundred cycles for others.
static Real awayFromZero(Real x, const Site &site) {
  return x.atMost(site.isF64() ? -0x1p-60 : -0x1p-30);
}

Real expOrZero(Real x, double lower, bool isNonPositive, const Site &site) {
  Real power = expFromOne(isNonPositive ? awayFromZero(x, site) : x, site).value();
  return (x < lower).select(0.0, power);
}

/// n is an integer, or with lookups a multiple of 1/8, as in tableExp. x - n is exact.
static NormalExp exp2Of(Real x, const Site &site) {
  bool looksUp = hasLookups(site);
  unsigned shift = site.mantissaBits() - (looksUp ? 3 : 0);
  double magic = 1.5 * double(uint64_t(1) << shift);
  Real shifted = x + magic;
  Real r = x - (shifted - magic);
  if (!looksUp) {
    Real factor = ((shifted.bits() + site.exponentBias()) << shift).real();
    return {expMinusOne(r * llvm::numbers::ln2, site), factor};
  }
  Real factor = ((shifted.bits() << shift) + lookup(shifted.bits(), expEighthsF32).bits()).real();
  return {r * horner(r, exp2SlopesOfEighthF32), factor};
}

Real exp2OrZero(Real x, double lower, const Site &site) {
  Real power = exp2Of(x, site).value();
  return (x < lower).select(0.0, power);
}

} // namespace kgen::vecmath
