// The tables that tests/oracle/fit_math.py prints, and the choice between them by element type.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

#include "transforms/math/Coefficients.inc"

/// NAME's table for the element type of a site.
#define KGEN_TABLE(NAME, SITE)                                                                     \
  ((SITE).isF64() ? llvm::ArrayRef<double>(NAME##F64) : llvm::ArrayRef<double>(NAME##F32))

/// NAME's table for results of 16 bits, by how many digits they have.
#define KGEN_ROUGH_TABLE(NAME, SITE)                                                               \
  ((SITE).digits > 8 ? llvm::ArrayRef<double>(NAME##F16) : llvm::ArrayRef<double>(NAME##Bf16))

#define KGEN_ODD_PIECES(NAME, SITE)                                                                \
  ((SITE).digits > 8 ? OddPieces{NAME##MostF16, NAME##ScaleF16, NAME##OffsetRough,                 \
                                 NAME##FirstBitRough, NAME##SlopesF16}                             \
                     : OddPieces{NAME##MostBf16, NAME##ScaleBf16, NAME##OffsetRough,               \
                                 NAME##FirstBitRough, NAME##SlopesBf16})

/// ln 2 as a head with few digits, so that its product with any exponent is exact, and the rest.
struct Ln2 {
  double head, rest;
};

inline Ln2 ln2(const Site &site) {
  return site.isF64() ? Ln2{ln2HeadF64, ln2RestF64} : Ln2{ln2HeadF32, ln2RestF32};
}

} // namespace kgen::vecmath
