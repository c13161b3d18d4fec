// A notation for formulas over IR values: floating-point numbers and their bit patterns, on a
// scalar or on a vector of any shape. Only operations that round the same everywhere exist here,
// but for fma(), where a formula says that it may be fused: no fast-math flags, no conversions that
// some targets do element by element.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

namespace kgen::vecmath {

class Bits;
class Truth;

/// What a target has instructions for.
struct Machine {
  bool hasFma = false; ///< multiplies and adds in one
  unsigned lookupLanes =
      0; ///< of the widest register whose numbers are chosen by another's; 0: none
  bool splitsNumbers = false; ///< into exponents and mantissas
  bool comparesMagnitudes = false;

  static Machine of(TargetAttr target);
};

/// Where the operations go, and the type they work on.
struct Site {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  Machine machine = {};
  unsigned digits = 0; ///< that a result of 16 bits has: see dialect/kgen/Rounded.h; 0: all

  bool isRounded() const { return digits != 0; }
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
  /// The value, or the bound where the value is beyond it; NaN stays.
  Real atMost(double bound) const;
  Real atLeast(double bound) const;
  /// A whole number: the nearest, ties to even, or the next one towards zero.
  Real nearest() const;
  Real truncated() const;
  Real root() const;
  /// Its upper half of digits: the product of two of them is exact.
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

/// max(x, 0), with the sign of x where that is 0; of a NaN, anything.
Real positivePart(Real x);

/// a b + c: rounded once where the target has fused multiply-adds, else twice.
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
  /// The value, or the bound where the value is beyond it.
  Bits atMost(uint64_t bound) const;
  Truth operator<(uint64_t bound) const;
  /// As a signed integer, rounded. Of f32: not all targets convert integers of 64 bits.
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
  /// Whether one element is true.
  mlir::Value any() const;
  Real select(Real yes, Real no) const;
  Bits select(Bits yes, Bits no) const;
  Real select(Real yes, double no) const { return select(yes, yes.constant(no)); }
  Real select(double yes, Real no) const { return select(no.constant(yes), no); }

private:
  const Site *site;
  mlir::Value handle;
};

/// Whether the condition is true for an element of a vector, which is not expected: registers are
/// given to what is computed otherwise.
mlir::Value rarely(const Site &site, mlir::Value condition);
inline mlir::Value rarely(const Site &site, Truth condition) {
  return rarely(site, condition.any());
}

/// An integer without sign that usually is at most a bound.
struct Limited {
  Bits bits;
  uint64_t most;

  Truth isInside() const { return bits < most + 1; }
};

/// Whether one element of one of them is beyond its bound: of vectors in several registers the
/// greater elements are compared, which takes one comparison for all.
mlir::Value isAnyBeyond(llvm::ArrayRef<Limited> all);

/// `usual`, but what `rare` makes where a vector holds an element for which the condition is true.
Real ifAny(mlir::Value condition, Real usual, llvm::function_ref<Real()> rare);
inline Real ifAny(Truth condition, Real usual, llvm::function_ref<Real()> rare) {
  return ifAny(condition.any(), usual, rare);
}

/// A number as a sum with twice the digits: `low` is at most half a unit in the last place of
/// `high`, or a little more.
struct Pair {
  Real high, low;
};

/// The exact product, but for what underflows: by a fused multiply-add, or else by halves of digits
/// (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
Pair exactProduct(Real a, Real b);
/// The exact sum, if |a| >= |b| or a is 0 (Dekker); of any two (D. E. Knuth, TAOCP 2, 4.2.2).
Pair exactSumOfOrdered(Real a, Real b);
Pair exactSum(Real a, Real b);

/// The polynomial with these coefficients, lowest power first, as one chain, which rounds the
/// least.
Real horner(Real x, llvm::ArrayRef<double> coefficients);

/// The same as independent chains over even and odd powers, which halves the latency.
Real inTwoChains(Real x, llvm::ArrayRef<double> coefficients);

/// Long ones in two chains.
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);

} // namespace kgen::vecmath
