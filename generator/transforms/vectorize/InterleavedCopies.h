// Copies that put rows of a matrix next to each other, element by element.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// A copy from [..., v, n] to [..., n, v], with v two or four and other dimensions in any order, as
/// loops over vectors along n that are interleaved in registers: how B is packed for dot products.
/// Without v in the input, each element comes several times: how images are enlarged.
/// The result that replaces the operation's, or null if it has another form.
mlir::Value vectorizeInterleavedCopy(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                     TargetAttr target);

} // namespace kgen
