// Operators that build arith operations for formulas over floating-point values and their bit
// patterns, scalars or vectors of any shape. All operations but fma() round the same on all
// targets: there are no fast-math flags, and no conversions that some targets scalarize.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

namespace kgen::vecmath {

class BitsValue;
class Mask;

/// The instructions of a target that formulas choose by.
struct MathTarget {
  bool hasFma = false;      ///< fused multiply-add
  unsigned lookupLanes = 0; ///< of the widest table lookup (kgen.dynamic_permute); 0: none
  bool hasExponentInstructions = false; ///< kgen.exponent, kgen.mantissa
  bool hasMagnitudeMinimum = false;     ///< kgen.negative_magnitude_min

  static MathTarget get(TargetAttr target);
};

/// The insertion point and the type of a formula.
struct Emitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  MathTarget machine = {};
  unsigned significantBits =
      0; ///< of a result of 16 bits (kgen.result_precision); 0: full precision

  bool hasReducedPrecision() const { return significantBits != 0; }
  bool isF64() const { return mlir::getElementTypeOrSelf(type).isF64(); }
  unsigned mantissaBits() const { return isF64() ? 52 : 23; }
  unsigned exponentBias() const { return isF64() ? 1023 : 127; }
  mlir::Type bitsType() const;
  mlir::Value number(double value) const;
  mlir::Value pattern(uint64_t value) const;
};

/// A floating-point value. The operators take constants too: `x * 0.5`.
class FloatValue {
public:
  FloatValue(const Emitter &emitter, mlir::Value value) : emitter(&emitter), handle(value) {}
  mlir::Value value() const { return handle; }

  FloatValue operator+(FloatValue other) const;
  FloatValue operator-(FloatValue other) const;
  FloatValue operator*(FloatValue other) const;
  FloatValue operator/(FloatValue other) const;
  FloatValue operator-() const;
  FloatValue operator+(double c) const { return *this + constant(c); }
  FloatValue operator-(double c) const { return *this - constant(c); }
  FloatValue operator*(double c) const { return *this * constant(c); }
  /// Ordered comparisons: false for NaN.
  Mask operator<(double c) const;
  Mask operator>(double c) const;
  Mask operator==(double c) const;
  Mask operator==(FloatValue other) const;
  Mask isNaN() const;

  BitsValue bits() const;
  FloatValue constant(double c) const { return {*emitter, emitter->number(c)}; }
  /// The sign alone; the magnitude alone; the magnitude with the sign of another value.
  BitsValue signBits() const;
  FloatValue magnitude() const;
  FloatValue withSignOf(FloatValue other) const;
  /// The value, clamped to the bound; NaN stays NaN.
  FloatValue atMost(double bound) const;
  FloatValue atLeast(double bound) const;
  /// Rounded to an integer: to nearest, ties to even; or towards zero.
  FloatValue nearest() const;
  FloatValue truncated() const;
  FloatValue root() const;
  /// The upper half of the significant bits: the product of two such values is exact.
  FloatValue upperHalf() const;

  const Emitter &where() const { return *emitter; }

private:
  const Emitter *emitter;
  mlir::Value handle;
};

inline FloatValue operator+(double c, FloatValue x) { return x.constant(c) + x; }
inline FloatValue operator-(double c, FloatValue x) { return x.constant(c) - x; }
inline FloatValue operator*(double c, FloatValue x) { return x.constant(c) * x; }
inline FloatValue operator/(double c, FloatValue x) { return x.constant(c) / x; }

/// max(x, 0), with the sign of x if the result is 0; not specified for NaN.
FloatValue positivePart(FloatValue x);

/// a b + c, rounded once on targets with fused multiply-adds, else twice.
FloatValue fma(FloatValue a, FloatValue b, FloatValue c);
inline FloatValue fma(FloatValue a, double b, FloatValue c) { return fma(a, a.constant(b), c); }
inline FloatValue fma(FloatValue a, FloatValue b, double c) { return fma(a, b, a.constant(c)); }
inline FloatValue fma(FloatValue a, double b, double c) {
  return fma(a, a.constant(b), a.constant(c));
}

/// The bit pattern of a floating-point value, an unsigned integer of the same width.
class BitsValue {
public:
  BitsValue(const Emitter &emitter, mlir::Value value) : emitter(&emitter), handle(value) {}
  mlir::Value value() const { return handle; }

  BitsValue operator+(BitsValue other) const;
  BitsValue operator-(BitsValue other) const;
  BitsValue operator&(BitsValue other) const;
  BitsValue operator|(BitsValue other) const;
  BitsValue operator+(uint64_t c) const { return *this + constant(c); }
  BitsValue operator&(uint64_t c) const { return *this & constant(c); }
  BitsValue operator|(uint64_t c) const { return *this | constant(c); }
  BitsValue operator<<(unsigned count) const;
  BitsValue operator>>(unsigned count) const;
  BitsValue constant(uint64_t c) const { return {*emitter, emitter->pattern(c)}; }
  /// The value, clamped to the bound.
  BitsValue atMost(uint64_t bound) const;
  Mask operator<(uint64_t bound) const;
  /// The signed integer as a float, rounded. f32 only: not all targets convert i64.
  FloatValue signedNumber() const;
  FloatValue real() const;

  const Emitter &where() const { return *emitter; }

private:
  const Emitter *emitter;
  mlir::Value handle;
};

class Mask {
public:
  Mask(const Emitter &emitter, mlir::Value value) : emitter(&emitter), handle(value) {}
  mlir::Value value() const { return handle; }
  Mask operator&&(Mask other) const;
  Mask operator||(Mask other) const;
  Mask operator!() const;
  /// True if any element is true.
  mlir::Value any() const;
  FloatValue select(FloatValue yes, FloatValue no) const;
  BitsValue select(BitsValue yes, BitsValue no) const;
  FloatValue select(FloatValue yes, double no) const { return select(yes, yes.constant(no)); }
  FloatValue select(double yes, FloatValue no) const { return select(no.constant(yes), no); }

private:
  const Emitter *emitter;
  mlir::Value handle;
};

/// Marks `condition` as expected to be false (llvm.intr.expect), so that LLVM allocates registers
/// for the other branch.
mlir::Value rarely(const Emitter &emitter, mlir::Value condition);
inline mlir::Value rarely(const Emitter &emitter, Mask condition) {
  return rarely(emitter, condition.any());
}

/// An unsigned integer that is usually at most `limit`.
struct Limited {
  BitsValue bits;
  uint64_t limit;

  Mask isWithin() const { return bits < limit + 1; }
};

/// True if any element of any of them exceeds its limit. Vectors of several registers are first
/// reduced to one register by maxima, which takes one comparison for all.
mlir::Value exceedsAnyLimit(llvm::ArrayRef<Limited> all);

/// `usual`, or the result of `rare`, computed in a branch that is taken if `condition` is true.
FloatValue ifAny(mlir::Value condition, FloatValue usual, llvm::function_ref<FloatValue()> rare);
inline FloatValue ifAny(Mask condition, FloatValue usual, llvm::function_ref<FloatValue()> rare) {
  return ifAny(condition.any(), usual, rare);
}

/// A sum of two numbers with twice the precision: `low` is at most half a unit in the last place of
/// `high`, or slightly more.
struct Pair {
  FloatValue high, low;
};

/// The exact product, except for underflow: by a fused multiply-add, or by splitting the factors
/// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
Pair exactProduct(FloatValue a, FloatValue b);
/// The exact sum: if |a| >= |b| or a is 0 (Dekker); of any two (D. E. Knuth, TAOCP 2, 4.2.2).
Pair exactSumOfOrdered(FloatValue a, FloatValue b);
Pair exactSum(FloatValue a, FloatValue b);

/// The polynomial with these coefficients, lowest power first, by Horner's rule, which has the
/// smallest rounding error.
FloatValue horner(FloatValue x, llvm::ArrayRef<double> coefficients);

/// The polynomial with separate chains for even and odd powers, which halves the latency.
FloatValue evenOddHorner(FloatValue x, llvm::ArrayRef<double> coefficients);

/// horner(), or evenOddHorner() for 10 and more coefficients.
FloatValue polynomial(FloatValue x, llvm::ArrayRef<double> coefficients);

} // namespace kgen::vecmath
