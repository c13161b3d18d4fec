// The remainder of a division that is cut towards zero, exactly. A quotient with no more digits
// than a number has is divided for, and its product is taken away at once. Of larger ones, the
// divisor is doubled until it is more than half of the dividend, and subtracted wherever it fits
// while it is halved again. No step rounds: what is subtracted is at least half of what it is
// subtracted from.
#include "transforms/math/Functions.h"

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

/// Of magnitudes; of numbers that have none, NaN.
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

/// A quotient that is rounded up to a whole number is one too many; it is never one too few. The
/// remainder has no more digits than the divisor, so that neither sum rounds.
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
  double most = std::ldexp(1.0, static_cast<int>(site.mantissaBits()));
  Truth isUsual = quotient < most && divisor < infinity;
  Real result = ifAny(!isUsual, usual, [&] {
    // So that the loops end soon for the others.
    Real few = isUsual.select(0.0, size);
    return isUsual.select(usual, remainderByLoops(few, divisor, site));
  });
  return result.withSignOf(x);
}

} // namespace kgen::vecmath
