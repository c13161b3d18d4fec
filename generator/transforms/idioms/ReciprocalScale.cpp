#include "transforms/idioms/ReciprocalScale.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {

ReciprocalScale::ReciprocalScale(float scale, double low, double high)
    : scale(scale), inverse(1 / scale), residual(static_cast<float>(1.0 / scale - inverse)),
      least(static_cast<float>(low * scale)), greatest(static_cast<float>(high * scale)), low(low),
      high(high) {}

double ReciprocalScale::rounded(float x) const {
  x = x > least ? x : least;
  x = x < greatest ? x : greatest;
  return std::nearbyint(std::fma(x, inverse, x * residual));
}

/// True if all floats within a few units in the last place of the one that has this quotient are
/// rounded as after a division.
bool ReciprocalScale::isExactAround(double wanted) const {
  constexpr int neighbours = 4;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto x = static_cast<float>(wanted * scale);
  for (int i = 0; i < neighbours; ++i)
    x = std::nextafter(x, -infinity);
  for (int i = -neighbours; i <= neighbours; ++i, x = std::nextafter(x, infinity)) {
    double exact = std::nearbyint(x / scale);
    if (rounded(x) != std::min(std::max(exact, low), high))
      return false;
  }
  return true;
}

std::optional<ReciprocalScale> ReciprocalScale::get(float scale, double low, double high) {
  // Far from where a product or a remainder is no normal number, and not for integers of 32 bits.
  constexpr float smallest = 0x1p-60F, largest = 0x1p60F;
  constexpr double mostIntegers = 0x1p17;
  if (!(scale >= smallest && scale <= largest) || !(high - low < mostIntegers))
    return std::nullopt;
  ReciprocalScale found(scale, low, high);
  constexpr double half = 0.5;
  for (double whole = low - 1; whole <= high; ++whole)
    if (!found.isExactAround(whole + half))
      return std::nullopt;
  return found;
}

Value ReciprocalScale::quotient(OpBuilder &b, mlir::Location loc, Value x) const {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), value));
  };
  auto bounded = [&](arith::CmpFPredicate predicate, double bound) {
    Value limit = number(bound);
    Value isInside = arith::CmpFOp::create(b, loc, predicate, x, limit);
    x = arith::SelectOp::create(b, loc, isInside, x, limit);
  };
  bounded(arith::CmpFPredicate::OGT, least); // false for NaN
  bounded(arith::CmpFPredicate::OLT, greatest);
  Value rest = arith::MulFOp::create(b, loc, x, number(residual));
  return math::FmaOp::create(b, loc, x, number(inverse), rest);
}

} // namespace kgen
