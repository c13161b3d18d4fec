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

Mask isAtMost(FloatValue x, FloatValue y, const Emitter &emitter) {
  return {emitter, arith::CmpFOp::create(emitter.builder, emitter.loc, arith::CmpFPredicate::OLE,
                                         x.value(), y.value())};
}

/// The largest multiple of `divisor` by a power of two that is at most `dividend`, or twice that.
FloatValue scaledDivisor(FloatValue dividend, FloatValue divisor, const Emitter &emitter) {
  FloatValue half = dividend * 0.5;
  auto goesOn = [&](OpBuilder &b, Location loc, ValueRange state) {
    Emitter inner{b, loc, emitter.type, emitter.machine};
    Value any = isAtMost({inner, state[0]}, half, inner).any();
    scf::ConditionOp::create(b, loc, any, state);
  };
  auto twice = [&](OpBuilder &b, Location loc, ValueRange state) {
    Emitter inner{b, loc, emitter.type, emitter.machine};
    FloatValue scaled(inner, state[0]);
    Value next = isAtMost(scaled, half, inner).select(scaled * 2.0, scaled).value();
    scf::YieldOp::create(b, loc, next);
  };
  auto loop = scf::WhileOp::create(emitter.builder, emitter.loc, TypeRange(emitter.type),
                                   ValueRange(divisor.value()), goesOn, twice);
  return {emitter, loop.getResult(0)};
}

/// The remainder of magnitudes; NaN if the divisor is 0 or the dividend infinite.
FloatValue remainderByLoops(FloatValue size, FloatValue divisor, const Emitter &emitter) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Mask isNumber = (divisor > 0.0) && (size < infinity);
  Mask isDivided = isNumber && isAtMost(divisor, size, emitter);
  divisor = isDivided.select(divisor, 1.0);
  FloatValue rest = isDivided.select(size, 0.0);
  FloatValue scaled = scaledDivisor(rest, divisor, emitter);
  auto goesOn = [&](OpBuilder &b, Location loc, ValueRange state) {
    Emitter inner{b, loc, emitter.type, emitter.machine};
    Value any = isAtMost(divisor, {inner, state[1]}, inner).any();
    scf::ConditionOp::create(b, loc, any, state);
  };
  auto subtract = [&](OpBuilder &b, Location loc, ValueRange state) {
    Emitter inner{b, loc, emitter.type, emitter.machine};
    FloatValue left(inner, state[0]), part(inner, state[1]);
    Mask isActive = isAtMost(divisor, part, inner);
    FloatValue next = (isActive && isAtMost(part, left, inner)).select(left - part, left);
    Value results[] = {next.value(), isActive.select(part * 0.5, part).value()};
    scf::YieldOp::create(b, loc, results);
  };
  Type types[] = {emitter.type, emitter.type};
  Value state[] = {rest.value(), scaled.value()};
  auto loop = scf::WhileOp::create(emitter.builder, emitter.loc, TypeRange(types),
                                   ValueRange(state), goesOn, subtract);
  FloatValue result = isDivided.select({emitter, loop.getResult(0)}, size);
  return isNumber.select(result, std::numeric_limits<double>::quiet_NaN());
}

/// The truncated quotient may be one too large, if rounding made it an integer, but not too small.
/// The remainder has no more significant bits than the divisor, so neither sum rounds.
FloatValue remainderByQuotient(FloatValue size, FloatValue divisor, FloatValue quotient) {
  FloatValue rest = fma(-quotient.truncated(), divisor, size);
  return (rest < 0.0).select(rest + divisor, rest);
}

} // namespace

FloatValue remainder(FloatValue x, FloatValue y, const Emitter &emitter) {
  FloatValue size = x.magnitude(), divisor = y.magnitude();
  if (!emitter.machine.hasFma)
    return remainderByLoops(size, divisor, emitter).withSignOf(x);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  FloatValue quotient = size / divisor;
  FloatValue usual = remainderByQuotient(size, divisor, quotient);
  double limit = std::ldexp(1.0, static_cast<int>(emitter.mantissaBits()));
  Mask isUsual = quotient < limit && divisor < infinity;
  FloatValue result = ifAny(!isUsual, usual, [&] {
    // Zero for the usual elements, so that they do not prolong the loops.
    FloatValue few = isUsual.select(0.0, size);
    return isUsual.select(usual, remainderByLoops(few, divisor, emitter));
  });
  return result.withSignOf(x);
}

} // namespace kgen::vecmath
