// Lookups in tables of eight or sixteen numbers in a register, by an index in each lane.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// True if the target has instructions for lookups and the type is f32.
bool hasLookups(const Emitter &emitter);

/// True if a lookup in a table of sixteen is one instruction.
bool hasLongLookups(const Emitter &emitter);

/// True if the result needs reduced precision only, and the target has lookups.
bool isLowPrecision(const Emitter &emitter);

/// table[index mod table.size()].
FloatValue lookup(BitsValue index, llvm::ArrayRef<double> table);

/// A polynomial in t whose coefficients depend on `interval`. `table` has `intervals` coefficients
/// for each power, highest power last.
FloatValue piecewise(BitsValue interval, FloatValue t, llvm::ArrayRef<double> table,
                     size_t intervals = 8);

/// The number of the interval of x, round(scale x), from 0 to 7, and the position in it, from -1/2
/// to 1/2.
struct Interval {
  BitsValue number;
  FloatValue t;
};
Interval intervalOf(FloatValue x, double scale);

/// x q(x^2), an odd function that is constant beyond `limit`, with polynomials q in
/// u = scale x^2 + offset. The bits of u from `firstBit` on are the number of the interval:
/// intervals are wider for larger u, where functions are smoother.
struct OddTable {
  double limit, scale, offset;
  unsigned firstBit;
  size_t count;
  llvm::ArrayRef<double> slopes;
};
FloatValue oddBySquares(FloatValue x, const OddTable &intervals);

/// x q(|x|), an odd function that is constant beyond `limit`, with piecewise polynomials q over
/// intervalOf(|x|, scale).
FloatValue oddPiecewise(FloatValue x, double limit, double scale, llvm::ArrayRef<double> slopes);

} // namespace kgen::vecmath
