// The exact remainder of a division that rounds towards zero. If the quotient has no more
// significant bits than the type, one division and one multiply-add suffice. Otherwise the divisor
// is doubled until it is more than half of the dividend, then halved again and subtracted wherever
// it fits. No subtraction rounds, because the subtrahend is at least half of the minuend.
#include "math/Functions.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen::vecmath {

namespace {

Truth isAtMost(Real x, Real y, const Site &site) {
  return {site, arith::CmpFOp::create(site.builder, site.loc, arith::CmpFPredicate::OLE, x.value(),
                                      y.value())};
}

/// The largest multiple of `divisor` by a power of two that is at most `dividend`, or twice that.
Real scaledDivisor(Real dividend, Real divisor, const Site &site) {
  Real half = dividend * 0.5;
  auto goesOn = [&](OpBuilder &b, Location loc, ValueRange state) {
    Site inner{b, loc, site.type, site.machine};
    Value any = isAtMost({inner, state[0]}, half, inner).any();
    scf::ConditionOp::create(b, loc, any, state);
  };
  auto twice = [&](OpBuilder &b, Location loc, ValueRange state) {
    Site inner{b, loc, site.type, site.machine};
    Real scaled(inner, state[0]);
    Value next = isAtMost(scaled, half, inner).select(scaled * 2.0, scaled).value();
    scf::YieldOp::create(b, loc, next);
  };
  auto loop = scf::WhileOp::create(site.builder, site.loc, TypeRange(site.type),
                                   ValueRange(divisor.value()), goesOn, twice);
  return {site, loop.getResult(0)};
}

/// The remainder of magnitudes; NaN if the divisor is 0 or the dividend infinite.
Real remainderByLoops(Real size, Real divisor, const Site &site) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Truth isNumber = (divisor > 0.0) && (size < infinity);
  Truth isDivided = isNumber && isAtMost(divisor, size, site);
  divisor = isDivided.select(divisor, 1.0);
  Real rest = isDivided.select(size, 0.0);
  Real scaled = scaledDivisor(rest, divisor, site);
  auto goesOn = [&](OpBuilder &b, Location loc, ValueRange state) {
    Site inner{b, loc, site.type, site.machine};
    Value any = isAtMost(divisor, {inner, state[1]}, inner).any();
    scf::ConditionOp::create(b, loc, any, state);
  };
  auto subtract = [&](OpBuilder &b, Location loc, ValueRange state) {
    Site inner{b, loc, site.type, site.machine};
    Real left(inner, state[0]), part(inner, state[1]);
    Truth isActive = isAtMost(divisor, part, inner);
    Real next = (isActive && isAtMost(part, left, inner)).select(left - part, left);
    Value results[] = {next.value(), isActive.select(part * 0.5, part).value()};
    scf::YieldOp::create(b, loc, results);
  };
  Type types[] = {site.type, site.type};
  Value state[] = {rest.value(), scaled.value()};
  auto loop = scf::WhileOp::create(site.builder, site.loc, TypeRange(types), ValueRange(state),
                                   goesOn, subtract);
  Real result = isDivided.select({site, loop.getResult(0)}, size);
  return isNumber.select(result, std::numeric_limits<double>::quiet_NaN());
}

/// The truncated quotient may be one too large, if rounding made it an integer, but not too small.
/// The remainder has no more significant bits than the divisor, so neither sum rounds.
Real remainderByQuotient(Real size, Real divisor, Real quotient) {
  Real rest = fma(-quotient.truncated(), divisor, size);
  return (rest < 0.0).select(rest + divisor, rest);
}

} // namespace

Real remainder(Real x, Real y, const Site &site) {
  Real size = x.magnitude(), divisor = y.magnitude();
  if (!site.machine.hasFma)
    return remainderByLoops(size, divisor, site).withSignOf(x);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Real quotient = size / divisor;
  Real usual = remainderByQuotient(size, divisor, quotient);
  double limit = std::ldexp(1.0, static_cast<int>(site.mantissaBits()));
  Truth isUsual = quotient < limit && divisor < infinity;
  Real result = ifAny(!isUsual, usual, [&] {
    // Zero for the usual elements, so that they do not prolong the loops.
    Real few = isUsual.select(0.0, size);
    return isUsual.select(usual, remainderByLoops(few, divisor, site));
  });
  return result.withSignOf(x);
}

} // namespace kgen::vecmath
