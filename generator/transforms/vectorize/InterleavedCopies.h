// Copies that interleave the rows of a matrix element by element.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// Vectorizes a copy from [..., v, n] to [..., n, v] along n, with other dimensions in any order;
/// vectors are interleaved in registers. v is 2 or 4 (packs of B for dot products), or up to 6 (3
/// without AVX-512); v need not be in the input (upsampled images). Also the reverse copy. Returns
/// the value that replaces the result; null if the copy has another form.
mlir::Value vectorizeInterleavedCopy(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                     TargetAttr target);

} // namespace kgen
