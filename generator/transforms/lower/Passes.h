// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/lower/Passes.h.inc"

/// Maxima and minima that ignore NaN as comparisons and selections, where an operand is no NaN.
void populateMinMaxPatterns(mlir::RewritePatternSet &patterns);

} // namespace kgen
