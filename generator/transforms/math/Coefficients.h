// The tables that tests/oracle/fit_math.py prints, and the choice between them by element type.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

#include "transforms/math/Coefficients.inc"

/// NAME's table for the element type of a site.
#define KGEN_TABLE(NAME, SITE)                                                                     \
  ((SITE).isF64() ? llvm::ArrayRef<double>(NAME##F64) : llvm::ArrayRef<double>(NAME##F32))

} // namespace kgen::vecmath
