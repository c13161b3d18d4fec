// The tables that tests/oracle/fit_math.py prints, and the choice between them by element type.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

#include "math/Coefficients.inc"

/// NAME's table for the element type of a site.
#define KGEN_TABLE(NAME, SITE)                                                                     \
  ((SITE).isF64() ? llvm::ArrayRef<double>(NAME##F64) : llvm::ArrayRef<double>(NAME##F32))

/// NAME's table for results of 16 bits, by their precision.
#define KGEN_LOW_PRECISION_TABLE(NAME, SITE)                                                       \
  ((SITE).significantBits > 8 ? llvm::ArrayRef<double>(NAME##F16)                                  \
                              : llvm::ArrayRef<double>(NAME##Bf16))

#define KGEN_LOW_PRECISION_ODD_TABLE(NAME, KIND, SITE)                                             \
  (hasLongLookups(SITE) ? OddTable{NAME##Most##KIND, NAME##Scale##KIND, NAME##OffsetLowPrecision,  \
                                   NAME##FirstBitLowPrecision - 1, 16, NAME##LongSlopes##KIND}     \
                        : OddTable{NAME##Most##KIND, NAME##Scale##KIND, NAME##OffsetLowPrecision,  \
                                   NAME##FirstBitLowPrecision, 8, NAME##Slopes##KIND})

#define KGEN_ODD_TABLE(NAME, SITE)                                                                 \
  ((SITE).significantBits > 8 ? KGEN_LOW_PRECISION_ODD_TABLE(NAME, F16, SITE)                      \
                              : KGEN_LOW_PRECISION_ODD_TABLE(NAME, Bf16, SITE))

/// ln 2 as a sum of `head`, whose product with any exponent is exact, and `rest`.
struct Ln2 {
  double head, rest;
};

inline Ln2 ln2(const Emitter &emitter) {
  return emitter.isF64() ? Ln2{ln2HeadF64, ln2RestF64} : Ln2{ln2HeadF32, ln2RestF32};
}

} // namespace kgen::vecmath
