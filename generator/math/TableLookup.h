// Lookups in tables of eight or sixteen numbers in a register, by an index in each lane.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// True if the target has instructions for lookups and the type is f32.
bool hasLookups(const Site &site);

/// True if a lookup in a table of sixteen is one instruction.
bool hasLongLookups(const Site &site);

/// True if the result needs reduced precision only, and the target has lookups.
bool isLowPrecision(const Site &site);

/// table[index mod table.size()].
Real lookup(Bits index, llvm::ArrayRef<double> table);

/// A polynomial in t whose coefficients depend on `interval`. `table` has `intervals` coefficients
/// for each power, highest power last.
Real piecewise(Bits interval, Real t, llvm::ArrayRef<double> table, size_t intervals = 8);

/// The number of the interval of x, round(scale x), from 0 to 7, and the position in it, from -1/2
/// to 1/2.
struct Interval {
  Bits number;
  Real t;
};
Interval intervalOf(Real x, double scale);

/// x q(x^2), an odd function that is constant beyond `limit`, with polynomials q in
/// u = scale x^2 + offset. The bits of u from `firstBit` on are the number of the interval:
/// intervals are wider for larger u, where functions are smoother.
struct OddTable {
  double limit, scale, offset;
  unsigned firstBit;
  size_t count;
  llvm::ArrayRef<double> slopes;
};
Real oddBySquares(Real x, const OddTable &intervals);

/// x q(|x|), an odd function that is constant beyond `limit`, with piecewise polynomials q over
/// intervalOf(|x|, scale).
Real oddPiecewise(Real x, double limit, double scale, llvm::ArrayRef<double> slopes);

} // namespace kgen::vecmath
