#include "math/ExponentMantissa.h"

#include <llvm/Support/MathExtras.h>

#include <limits>

using namespace mlir;

namespace kgen::vecmath {

namespace {

/// The exponent of |x|, as a float.
Real exponentOf(Real x) {
  const Site &site = x.where();
  return {site, ExponentOp::create(site.builder, site.loc, x.value())};
}

/// The mantissa in [1, 2); 1 for 0 and infinity, NaN for negative numbers.
Real mantissaOf(Real x) {
  const Site &site = x.where();
  return {site, MantissaOp::create(site.builder, site.loc, x.value())};
}

ExponentFraction splitByInstructions(Real x, double root) {
  Real exponent = exponentOf(x), mantissa = mantissaOf(x);
  Truth isLower = mantissa < 2 * root;
  return {isLower.select(exponent, exponent + 1.0), isLower.select(mantissa, mantissa * 0.5) - 1.0};
}

} // namespace

/// Adding the distance from sqrt(1/2) to 1 to the bits carries into the exponent if the mantissa is
/// at least sqrt(2).
ExponentFraction split(Real x, const Site &site) {
  unsigned width = site.mantissaBits();
  uint64_t one = uint64_t(site.exponentBias()) << width;
  uint64_t root = site.isF64() ? 0x3fe6a09e667f3bcdu : 0x3f3504f3u;
  if (site.machine.hasExponentInstructions)
    return splitByInstructions(x, site.isF64() ? 0x1.6a09e667f3bcdp-1 : 0x1.6a09e6p-1);

  // Subnormals are scaled into the normal range.
  double scale = double(uint64_t(1) << (width + 1));
  Truth tiny = x < (site.isF64() ? double(std::numeric_limits<double>::min())
                                 : double(std::numeric_limits<float>::min()));
  Real normal = tiny.select(x * scale, x);
  Bits carried = normal.bits() + (one - root);
  Bits mantissa = (carried & ((uint64_t(1) << width) - 1)) + root;

  // An integer below 2^mantissaBits becomes a float by way of the bits of 2^mantissaBits.
  uint64_t anchor = uint64_t(site.exponentBias() + width) << width;
  double offset = double(uint64_t(1) << width) + site.exponentBias();
  Real biased = ((carried >> width) | anchor).real();
  Real usual = biased.constant(offset);
  Real bias = tiny.select(offset + width + 1, usual);
  return {biased - bias, mantissa.real() - 1.0};
}

/// The exponent field of f32, with the sign.
static constexpr uint64_t exponents = 0xff800000;
static constexpr double unitOfFields = 1 << 23;

IntervalSplit splitByIntervals(Real x, uint64_t root, unsigned count) {
  Bits above = x.bits() - x.bits().constant(root);
  Bits shifted = above & exponents;
  unsigned shift = x.where().mantissaBits() - llvm::Log2_32(count);
  return {shifted.signedNumber(), (x.bits() - shifted).real(), above >> shift};
}

IntervalSplit splitByEighths(Real x) { return splitByIntervals(x, 0x3f3504f3, 8); }

SplitByOctaves splitByOctaves(Real x) {
  constexpr uint64_t one = 0x3f800000;
  if (x.where().machine.hasExponentInstructions) {
    Real mantissa = mantissaOf(x);
    return {exponentOf(x), 1, mantissa, mantissa.bits() >> 20};
  }
  Bits shifted = (x.bits() - x.bits().constant(one)) & exponents;
  return {shifted.signedNumber(), unitOfFields, (x.bits() - shifted).real(), x.bits() >> 20};
}

Limited fromMinNormal(Real x) {
  constexpr uint64_t lower = 0x00800000, infinity = 0x7f800000;
  return {x.bits() - x.bits().constant(lower), infinity - lower - 1};
}

Truth isPositiveNormal(Real x) { return fromMinNormal(x).isWithin(); }

} // namespace kgen::vecmath
