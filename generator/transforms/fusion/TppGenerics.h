// Tile operations as linalg.generic, and elementwise generics as epilogues: what passes that lower,
// raise, group and fuse share.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// The generic that computes what `op` does, at the builder's insertion point; on tensors or on
/// memrefs.
mlir::linalg::GenericOp createGeneric(mlir::OpBuilder &b, tpp::ElementwiseOpInterface op);

/// The contraction that `op` can become a part of, or null: `op` is elementwise, the only user of
/// its result in the same block, and reads it at the element that it computes and nowhere else.
tpp::ContractionOpInterface fusibleContraction(mlir::linalg::GenericOp op);

/// Appends `op` to the epilogue of `gemm`, which fusibleContraction found; both are replaced by the
/// contraction that is returned.
tpp::ContractionOpInterface fuseIntoEpilogue(mlir::linalg::GenericOp op,
                                             tpp::ContractionOpInterface gemm);

} // namespace kgen
