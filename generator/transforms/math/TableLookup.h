// Tables of eight or sixteen numbers in a register, one number for each element of a vector by its
// index.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// Whether a site has lookups: its targets have instructions for them, and its type is f32.
bool hasLookups(const Site &site);

/// Whether a lookup of sixteen numbers is one instruction.
bool hasLongLookups(const Site &site);

/// Whether few digits suffice and lookups make functions of few digits cheap.
bool isLowPrecision(const Site &site);

/// table[index mod its length]
Real lookup(Bits index, llvm::ArrayRef<double> table);

/// A polynomial in t of which each piece has coefficients of its own: of every power, as many as
/// there are pieces.
Real piecewise(Bits piece, Real t, llvm::ArrayRef<double> table, size_t pieces = 8);

/// The piece of a number that is round(scale x), from 0 to 7, and where x is in it, from -1/2 to
/// 1/2.
struct Place {
  Bits piece;
  Real t;
};
Place placeOf(Real x, double scale);

/// x q(x^2) with q from a table of polynomials in u = scale x^2 + offset: an odd function that is
/// level beyond `most`. The bits of u from the given one on are the piece: it is wider where u is
/// larger, as far as functions are smoother there.
struct OddPieces {
  double most, scale, offset;
  unsigned firstBit;
  size_t count;
  llvm::ArrayRef<double> slopes;
};
Real oddBySquares(Real x, const OddPieces &pieces);

/// x q(|x|) with q from a table of polynomials over placeOf(|x|, scale): an odd function that is
/// level beyond `most`.
Real oddByPieces(Real x, double most, double scale, llvm::ArrayRef<double> slopes);

} // namespace kgen::vecmath
