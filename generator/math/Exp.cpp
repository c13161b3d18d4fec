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
  FloatValue n;                // an integer
  FloatValue factor1, factor2; // 2^n
};
} // namespace

/// Adding 1.5 * 2^mantissaBits leaves the rounded integer in the low bits of the sum. With two
/// exponent biases added it is positive, so a logical shift halves it. Shifting the halves into the
/// exponent field drops the bits above them.
static Reduction reductionOf(FloatValue shifted, double magic, const Emitter &emitter) {
  BitsValue biased = shifted.bits() + 2 * emitter.exponentBias();
  BitsValue half = biased >> 1;
  FloatValue factor1 = (half << emitter.mantissaBits()).real();
  FloatValue factor2 = ((biased - half) << emitter.mantissaBits()).real();
  return {shifted - magic, factor1, factor2};
}

/// Returns what leaves the rounded integer in the low bits of a sum.
static double integerMagic(const Emitter &emitter) {
  return 1.5 * double(uint64_t(1) << emitter.mantissaBits());
}

static Reduction reduce(FloatValue x, const Emitter &emitter) {
  double magic = integerMagic(emitter);
  return reductionOf(fma(x, log2E, magic), magic, emitter);
}

/// exp(r) - 1 = r + r^2 p(r)
static FloatValue expMinusOne(FloatValue r, const Emitter &emitter) {
  FloatValue p = polynomial(r, KGEN_TABLE(expRest, emitter));
  return fma(r * r, p, r);
}

ScaledExp scaledExp(FloatValue x, const Emitter &emitter) {
  Reduction by = reduce(x, emitter);
  FloatValue head = fma(by.n, -ln2(emitter).head, x);
  FloatValue r = fma(by.n, -ln2(emitter).rest, head);
  return {expMinusOne(r, emitter), by.factor1, by.factor2};
}

ScaledExp scaledExp(FloatValue x, FloatValue rest, const Emitter &emitter) {
  Reduction by = reduce(x, emitter);
  FloatValue head = fma(by.n, -ln2(emitter).head, x);
  FloatValue tail = fma(by.n, -ln2(emitter).rest, rest);
  return {expMinusOne(head + tail, emitter), by.factor1, by.factor2};
}

/// One factor suffices: 2^(n + by), whose exponent field comes from the sum.
static NormalExp normalExp(FloatValue x, const FloatValue *rest, int64_t by,
                           const Emitter &emitter) {
  double magic = 1.5 * double(uint64_t(1) << emitter.mantissaBits());
  FloatValue shifted = fma(x, log2E, magic);
  FloatValue n = shifted - magic;
  FloatValue factor =
      ((shifted.bits() + (emitter.exponentBias() + by)) << emitter.mantissaBits()).real();
  FloatValue head = fma(n, -ln2(emitter).head, x);
  FloatValue r = rest ? head + fma(n, -ln2(emitter).rest, *rest) : fma(n, -ln2(emitter).rest, head);
  return {expMinusOne(r, emitter), factor};
}

NormalExp normalExp(FloatValue x, int64_t by, const Emitter &emitter) {
  return normalExp(x, nullptr, by, emitter);
}

NormalExp normalExp(Pair x, int64_t by, const Emitter &emitter) {
  return normalExp(x.high, &x.low, by, emitter);
}

FloatValue normalExpm1(FloatValue x, const Emitter &emitter) {
  NormalExp e = normalExp(x, 0, emitter);
  return fma(e.rest, e.factor, e.factor - 1.0);
}

/// The lowest bits of `shifted` select a factor from the table. The table compensates for what
/// these bits add to the exponent field.
static FloatValue powerFromTable(FloatValue shifted, llvm::ArrayRef<double> powers, int64_t by) {
  llvm::SmallVector<double> scaled;
  for (double power : powers)
    scaled.push_back(std::ldexp(power, static_cast<int>(by)));
  unsigned shift = shifted.where().mantissaBits() - llvm::Log2_64(powers.size());
  return ((shifted.bits() << shift) + lookup(shifted.bits(), scaled).bits()).real();
}

FloatValue powerOfEighths(FloatValue shifted, int64_t by) {
  return powerFromTable(shifted, expEighthsF32, by);
}

namespace {
/// x = n ln 2 + r with n a multiple of 1/8 or 1/16, and `factor` = 2^(n + by).
struct TableReduction {
  FloatValue r, factor;
};
} // namespace

/// n is a multiple of 1 / powers.size().
static TableReduction reduceByTable(FloatValue x, llvm::ArrayRef<double> powers, int64_t by,
                                    const Emitter &emitter) {
  const double magic = 0x1.8p23 / static_cast<double>(powers.size());
  FloatValue shifted = fma(x, log2E, magic);
  FloatValue n = shifted - magic;
  FloatValue factor = powerFromTable(shifted, powers, by);
  if (emitter.hasReducedPrecision())
    return {fma(n, -1.0 / log2E, x), factor};
  FloatValue head = fma(n, -ln2(emitter).head, x);
  return {fma(n, -ln2(emitter).rest, head), factor};
}

/// True if 1 + r is precise enough for exp(r), |r| <= ln(2) / 32.
static bool hasShortSixteenths(const Emitter &emitter) {
  return emitter.significantBits == 8 && hasLongLookups(emitter);
}

static NormalExp expBySixteenths(FloatValue x, llvm::ArrayRef<double> powers, int64_t by,
                                 const Emitter &emitter) {
  auto [r, factor] = reduceByTable(x, powers, by, emitter);
  return {r, factor};
}

NormalExp tableExp(FloatValue x, int64_t by, const Emitter &emitter) {
  if (!hasLookups(emitter))
    return normalExp(x, by, emitter);
  return hasShortSixteenths(emitter) ? expBySixteenths(x, expSixteenthsBf16, by, emitter)
                                     : tableExp(x, expEighthsF32, by, emitter);
}

NormalExp tableExp(FloatValue x, llvm::ArrayRef<double> powers, int64_t by,
                   const Emitter &emitter) {
  if (!emitter.hasReducedPrecision())
    return tableExp(x, powers, expRestOfEighthF32, by, emitter);
  auto [r, factor] = reduceByTable(x, powers, by, emitter);
  return {r * horner(r, expSlopesOfEighthLowPrecision), factor};
}

NormalExp tableExp(FloatValue x, llvm::ArrayRef<double> powers, llvm::ArrayRef<double> rest,
                   int64_t by, const Emitter &emitter) {
  auto [r, factor] = reduceByTable(x, powers, by, emitter);
  return {fma(r * r, horner(r, rest), r), factor};
}

Range expRange(const Emitter &emitter) {
  return emitter.isF64() ? Range{-746.0, 710.0} : Range{-105.0, 89.0};
}

/// With e = 2^n (1 + r): 2^n r + (2^n - 1). For large x, exp(x) itself is the result: the 1 is
/// below its precision, and the sum would overflow early.
static FloatValue exactExpm1(FloatValue x, const Emitter &emitter) {
  Range range = expRange(emitter);
  ScaledExp e = scaledExp(x.atMost(range.high).atLeast(range.low), emitter);
  FloatValue power = e.factor1 * e.factor2;
  FloatValue result = fma(e.rest, power, power - 1.0);
  result = (x > 44.0).select(e.value(), result);
  return (x == 0.0).select(x, result); // -0 stays
}

/// For small results n is 0, so nothing cancels; -0 stays.
static FloatValue lowPrecisionExpm1(FloatValue x, FloatValue limited, const Emitter &emitter) {
  auto [r, factor] = reduceByTable(limited, expEighthsF32, 0, emitter);
  FloatValue sum =
      fma(r * horner(r, KGEN_LOW_PRECISION_TABLE(expm1Slope, emitter)), factor, factor - 1.0);
  return (sum.bits() | x.signBits()).real();
}

/// Below this argument, the result rounds to -1.
static constexpr double minExpm1Argument = -30.0;

/// For results in f16, values above maxNormalExp overflow anyway; for bf16 they take a branch.
FloatValue expm1(FloatValue x, const Emitter &emitter) {
  if (!isLowPrecision(emitter))
    return exactExpm1(x, emitter);
  FloatValue limited = x.atLeast(minExpm1Argument);
  if (emitter.significantBits > 8)
    return lowPrecisionExpm1(x, limited.atMost(maxNormalExp), emitter);
  FloatValue usual = lowPrecisionExpm1(x, limited, emitter);
  Mask isLarge = x > maxNormalExp;
  return ifAny(isLarge, usual, [&] { return isLarge.select(exactExpm1(x, emitter), usual); });
}

FloatValue expm1OfNegative(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionExpm1(x, x.atLeast(minExpm1Argument), emitter);
  FloatValue result = normalExpm1(x.atLeast(emitter.isF64() ? -40.0 : minExpm1Argument), emitter);
  return (result.bits() | x.signBits()).real();
}

static FloatValue exactExp(FloatValue x, const Emitter &emitter) {
  Range range = expRange(emitter);
  return scaledExp(x.atMost(range.high).atLeast(range.low), emitter).value();
}

FloatValue exp(FloatValue x, const Emitter &emitter) {
  if (!isLowPrecision(emitter))
    return exactExp(x, emitter);
  Mask isUsual = x.magnitude() < maxNormalExp;
  return ifAny(!isUsual, tableExp(x, 0, emitter).value(), [&] { return exactExp(x, emitter); });
}

/// x - n is exact. Beyond the bounds, the result is infinite or 0.
FloatValue exp2(FloatValue x, const Emitter &emitter) {
  FloatValue limited =
      emitter.isF64() ? x.atMost(1025.0).atLeast(-1076.0) : x.atMost(129.0).atLeast(-151.0);
  double magic = integerMagic(emitter);
  Reduction by = reductionOf(limited + magic, magic, emitter);
  FloatValue rest = expMinusOne((limited - by.n) * llvm::numbers::ln2, emitter);
  return ScaledExp{rest, by.factor1, by.factor2}.value();
}

/// exp(0) is exactly 1, so that the logarithm of a sum of exponentials is precise near 0. Within
/// half a sixteenth of an octave around 0, other results have an error of 2^-12.
static NormalExp expFromOne(FloatValue x, const Emitter &emitter) {
  if (!hasShortSixteenths(emitter))
    return tableExp(x, 0, emitter);
  llvm::SmallVector<double> powers(std::begin(expSixteenthsBf16), std::end(expSixteenthsBf16));
  powers.front() = 1.0;
  return expBySixteenths(x, powers, 0, emitter);
}

/// Instead of an x that is close to 0, not positive, another one whose power rounds to 1, too. The
/// products of polynomials remain normal then: processors take some hundred cycles for others.
static FloatValue awayFromZero(FloatValue x, const Emitter &emitter) {
  return x.atMost(emitter.isF64() ? -0x1p-60 : -0x1p-30);
}

FloatValue expOrZero(FloatValue x, double lower, bool isNonPositive, const Emitter &emitter) {
  FloatValue power = expFromOne(isNonPositive ? awayFromZero(x, emitter) : x, emitter).value();
  return (x < lower).select(0.0, power);
}

/// n is an integer, or with lookups a multiple of 1/8, as in tableExp. x - n is exact.
static NormalExp exp2Of(FloatValue x, const Emitter &emitter) {
  bool looksUp = hasLookups(emitter);
  unsigned shift = emitter.mantissaBits() - (looksUp ? 3 : 0);
  double magic = 1.5 * double(uint64_t(1) << shift);
  FloatValue shifted = x + magic;
  FloatValue r = x - (shifted - magic);
  if (!looksUp) {
    FloatValue factor = ((shifted.bits() + emitter.exponentBias()) << shift).real();
    return {expMinusOne(r * llvm::numbers::ln2, emitter), factor};
  }
  FloatValue factor =
      ((shifted.bits() << shift) + lookup(shifted.bits(), expEighthsF32).bits()).real();
  return {r * horner(r, exp2SlopesOfEighthF32), factor};
}

FloatValue exp2OrZero(FloatValue x, double lower, const Emitter &emitter) {
  FloatValue power = exp2Of(x, emitter).value();
  return (x < lower).select(0.0, power);
}

} // namespace kgen::vecmath
