#include "ops/ConstantScale.h"

#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {

ConstantScale::ConstantScale(float scale, int64_t zeroPoint, ElementType type)
    : scale(scale), reciprocal(1 / scale), zeroPoint(zeroPoint), type(type) {
  auto [lowest, highest] = limitsOf(type);
  low = static_cast<double>(lowest - zeroPoint);
  high = static_cast<double>(highest - zeroPoint);
  least = static_cast<float>(low * scale);
  greatest = static_cast<float>(high * scale);
}

/// As the code computes it.
float ConstantScale::quotient(float x) const {
  x = x > least ? x : least;
  x = x < greatest ? x : greatest;
  float q = x * reciprocal;
  return std::fma(std::fma(-q, scale, x), reciprocal, q);
}

double ConstantScale::quantized(float x) const { return std::nearbyint(quotient(x)); }

/// True if all floats within a few units in the last place of the one that has this quotient are
/// quantized as a division would.
bool ConstantScale::isExactAround(double wanted) const {
  constexpr int neighbours = 4;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  auto x = static_cast<float>(wanted * scale);
  for (int i = 0; i < neighbours; ++i)
    x = std::nextafter(x, -infinity);
  for (int i = -neighbours; i <= neighbours; ++i, x = std::nextafter(x, infinity)) {
    double exact = std::nearbyint(x / scale);
    if (quantized(x) != std::min(std::max(exact, low), high))
      return false;
  }
  return true;
}

std::optional<ConstantScale> ConstantScale::of(float scale, int64_t zeroPoint, ElementType type) {
  // Far from where a product or a remainder is no normal number.
  constexpr float smallest = 0x1p-60F, largest = 0x1p60F;
  if (isFloat(type) || !(scale >= smallest && scale <= largest))
    return std::nullopt;
  ConstantScale constant(scale, zeroPoint, type);
  constexpr double half = 0.5;
  for (double whole = constant.low - 1; whole <= constant.high; ++whole)
    if (!constant.isExactAround(whole + half))
      return std::nullopt;
  return constant;
}

std::optional<ConstantScale> ConstantScale::of(const LoweringContext &c, size_t scale,
                                               size_t zeroPoint) {
  auto isOne = [&](size_t i) { return c.input(i).elementCount() == 1; };
  if (!c.cpu().hasFma || c.input(scale).element != ElementType::f32 || !isOne(scale) ||
      (c.hasInput(zeroPoint) && !isOne(zeroPoint)))
    return std::nullopt;
  auto scales = c.constantReals(scale);
  auto zeros = c.hasInput(zeroPoint) ? c.constantIntegers(zeroPoint) : std::vector<int64_t>{0};
  if (!scales || !zeros)
    return std::nullopt;
  return of(static_cast<float>(scales->front()), zeros->front(), c.resultType().element);
}

Value ConstantScale::quantized(OpBuilder &b, mlir::Location loc, Value x) const {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), value));
  };
  x = clamped(b, loc, x, least, greatest); // NaN becomes the lowest number, as elsewhere
  Value q = arith::MulFOp::create(b, loc, x, number(reciprocal));
  Value rest = math::FmaOp::create(b, loc, q, number(-scale), x);
  Value quotient = math::FmaOp::create(b, loc, rest, number(reciprocal), q);
  return roundedNumber(b, loc, quotient, zeroPoint, type);
}

} // namespace kgen
