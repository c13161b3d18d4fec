// Operators that build arith operations for formulas over floating-point values and their bit
// patterns, scalars or vectors of any shape. All operations but fma() round the same on all
// targets: there are no fast-math flags, and no conversions that some targets scalarize.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

namespace kgen::vecmath {

class Bits;
class Truth;

/// The instructions of a target that formulas choose by.
struct Machine {
  bool hasFma = false;                  ///< fused multiply-add
  unsigned lookupLanes = 0; ///< of the widest table lookup (kgen.dynamic_permute); 0: none
  bool hasExponentInstructions = false; ///< kgen.exponent, kgen.mantissa
  bool hasMagnitudeMinimum = false;     ///< kgen.negative_magnitude_min

  static Machine of(TargetAttr target);
};

/// The insertion point and the type of a formula.
struct Site {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  Machine machine = {};
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
class Real {
public:
  Real(const Site &site, mlir::Value value) : site(&site), handle(value) {}
  mlir::Value value() const { return handle; }

  Real operator+(Real other) const;
  Real operator-(Real other) const;
  Real operator*(Real other) const;
  Real operator/(Real other) const;
  Real operator-() const;
  Real operator+(double c) const { return *this + constant(c); }
  Real operator-(double c) const { return *this - constant(c); }
  Real operator*(double c) const { return *this * constant(c); }
  /// Ordered comparisons: false for NaN.
  Truth operator<(double c) const;
  Truth operator>(double c) const;
  Truth operator==(double c) const;
  Truth operator==(Real other) const;
  Truth isNaN() const;

  Bits bits() const;
  Real constant(double c) const { return {*site, site->number(c)}; }
  /// The sign alone; the magnitude alone; the magnitude with the sign of another value.
  Bits signBits() const;
  Real magnitude() const;
  Real withSignOf(Real other) const;
  /// The value, clamped to the bound; NaN stays NaN.
  Real atMost(double bound) const;
  Real atLeast(double bound) const;
  /// Rounded to an integer: to nearest, ties to even; or towards zero.
  Real nearest() const;
  Real truncated() const;
  Real root() const;
  /// The upper half of the significant bits: the product of two such values is exact.
  Real upperHalf() const;

  const Site &where() const { return *site; }

private:
  const Site *site;
  mlir::Value handle;
};

inline Real operator+(double c, Real x) { return x.constant(c) + x; }
inline Real operator-(double c, Real x) { return x.constant(c) - x; }
inline Real operator*(double c, Real x) { return x.constant(c) * x; }
inline Real operator/(double c, Real x) { return x.constant(c) / x; }

/// max(x, 0), with the sign of x if the result is 0; not specified for NaN.
Real positivePart(Real x);

/// a b + c, rounded once on targets with fused multiply-adds, else twice.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.constant(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.constant(c)); }
inline Real fma(Real a, double b, double c) { return fma(a, a.constant(b), a.constant(c)); }

/// The bit pattern of a floating-point value, an unsigned integer of the same width.
class Bits {
public:
  Bits(const Site &site, mlir::Value value) : site(&site), handle(value) {}
  mlir::Value value() const { return handle; }

  Bits operator+(Bits other) const;
  Bits operator-(Bits other) const;
  Bits operator&(Bits other) const;
  Bits operator|(Bits other) const;
  Bits operator+(uint64_t c) const { return *this + constant(c); }
  Bits operator&(uint64_t c) const { return *this & constant(c); }
  Bits operator|(uint64_t c) const { return *this | constant(c); }
  Bits operator<<(unsigned count) const;
  Bits operator>>(unsigned count) const;
  Bits constant(uint64_t c) const { return {*site, site->pattern(c)}; }
  /// The value, clamped to the bound.
  Bits atMost(uint64_t bound) const;
  Truth operator<(uint64_t bound) const;
  /// The signed integer as a float, rounded. f32 only: not all targets convert i64.
  Real signedNumber() const;
  Real real() const;

  const Site &where() const { return *site; }

private:
  const Site *site;
  mlir::Value handle;
};

class Truth {
public:
  Truth(const Site &site, mlir::Value value) : site(&site), handle(value) {}
  mlir::Value value() const { return handle; }
  Truth operator&&(Truth other) const;
  Truth operator||(Truth other) const;
  Truth operator!() const;
  /// True if any element is true.
  mlir::Value any() const;
  Real select(Real yes, Real no) const;
  Bits select(Bits yes, Bits no) const;
  Real select(Real yes, double no) const { return select(yes, yes.constant(no)); }
  Real select(double yes, Real no) const { return select(no.constant(yes), no); }

private:
  const Site *site;
  mlir::Value handle;
};

/// Marks `condition` as expected to be false (llvm.intr.expect), so that LLVM allocates registers
/// for the other branch.
mlir::Value rarely(const Site &site, mlir::Value condition);
inline mlir::Value rarely(const Site &site, Truth condition) {
  return rarely(site, condition.any());
}

/// An unsigned integer that is usually at most `limit`.
struct Limited {
  Bits bits;
  uint64_t limit;

  Truth isWithin() const { return bits < limit + 1; }
};

/// True if any element of any of them exceeds its limit. Vectors of several registers are first
/// reduced to one register by maxima, which takes one comparison for all.
mlir::Value exceedsAnyLimit(llvm::ArrayRef<Limited> all);

/// `usual`, or the result of `rare`, computed in a branch that is taken if `condition` is true.
Real ifAny(mlir::Value condition, Real usual, llvm::function_ref<Real()> rare);
inline Real ifAny(Truth condition, Real usual, llvm::function_ref<Real()> rare) {
  return ifAny(condition.any(), usual, rare);
}

/// A sum of two numbers with twice the precision: `low` is at most half a unit in the last place of
/// `high`, or slightly more.
struct Pair {
  Real high, low;
};

/// The exact product, except for underflow: by a fused multiply-add, or by splitting the factors
/// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
Pair exactProduct(Real a, Real b);
/// The exact sum: if |a| >= |b| or a is 0 (Dekker); of any two (D. E. Knuth, TAOCP 2, 4.2.2).
Pair exactSumOfOrdered(Real a, Real b);
Pair exactSum(Real a, Real b);

/// The polynomial with these coefficients, lowest power first, by Horner's rule, which has the
/// smallest rounding error.
Real horner(Real x, llvm::ArrayRef<double> coefficients);

/// The polynomial with separate chains for even and odd powers, which halves the latency.
Real evenOddHorner(Real x, llvm::ArrayRef<double> coefficients);

/// horner(), or evenOddHorner() for 10 and more coefficients.
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);

} // namespace kgen::vecmath
