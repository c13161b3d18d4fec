// tan(x) = sin(x) / cos(x).
#include "math/Coefficients.h"
#include "math/Functions.h"
#include "math/SinCos.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

namespace {

/// pi/2 in parts; those of f32 but the last have so few bits that their products with a count are
/// exact.
llvm::ArrayRef<double> halfPiPartsOf(const Emitter &emitter) {
  static constexpr double ofF32[] = {0x1.921fb4p+0, 0x1.4442dp-24, 0x1.846988p-48};
  if (emitter.isF64())
    return longHalfPiParts;
  return llvm::ArrayRef<double>(ofF32).drop_back(isLowPrecision(emitter) ? 1 : 0);
}

/// Subtracts the nearest multiple of pi/2. For an odd one, sine and cosine of the remainder are
/// swapped.
FloatValue tanByParts(FloatValue x, const Emitter &emitter) {
  const double magic = emitter.isF64() ? 0x1.8p52 : 0x1.8p23;
  FloatValue shifted = fma(x, twoOverPi, magic), n = shifted - magic;
  FloatValue r = x;
  for (double part : halfPiPartsOf(emitter))
    r = fma(n, -part, r);
  FloatValue square = r * r;
  bool isLow = isLowPrecision(emitter);
  FloatValue sine = r * horner(square, isLow ? KGEN_LOW_PRECISION_TABLE(sinOfEighthTurn, emitter)
                                             : KGEN_TABLE(sinOfEighthTurn, emitter));
  FloatValue cosine = horner(square, isLow ? KGEN_LOW_PRECISION_TABLE(cosOfEighthTurn, emitter)
                                           : KGEN_TABLE(cosOfEighthTurn, emitter));
  Mask isEven = (shifted.bits() & 1) < 1;
  FloatValue quotient = isEven.select(sine, cosine) / isEven.select(cosine, sine);
  return (quotient.bits() + (shifted.bits() << (emitter.isF64() ? 63 : 31))).real();
}

/// In f64, so that the errors of both do not add up.
FloatValue quotientOfSinCos(FloatValue x, const Emitter &emitter) {
  if (emitter.isF64())
    return sin(x, emitter) / cos(x, emitter);
  mlir::OpBuilder &b = emitter.builder;
  mlir::Type type = b.getF64Type();
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(emitter.type))
    type = vector.clone(type);
  Emitter wide{b, emitter.loc, type, emitter.machine};
  FloatValue extended(wide, mlir::arith::ExtFOp::create(b, emitter.loc, type, x.value()));
  FloatValue quotient = sin(extended, wide) / cos(extended, wide);
  return {emitter, mlir::arith::TruncFOp::create(b, emitter.loc, emitter.type, quotient.value())};
}

} // namespace

/// Large numbers, which are rare and not in f16, take a branch.
FloatValue tan(FloatValue x, const Emitter &emitter) {
  auto tanOfLarge = [&] { return quotientOfSinCos(x, emitter); };
  if (!emitter.machine.hasFma)
    return tanOfLarge();
  FloatValue usual = tanByParts(x, emitter);
  if (isLowPrecision(emitter) && emitter.significantBits > 8)
    return usual;
  Mask isFar = !(x.magnitude() < (emitter.isF64() ? nearLimitF64 : nearLimitF32));
  return ifAny(isFar, usual, [&] { return isFar.select(tanOfLarge(), usual); });
}

} // namespace kgen::vecmath
