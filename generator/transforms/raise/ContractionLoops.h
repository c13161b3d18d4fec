// Contractions of linalg: which have static shapes, their generic form, and their names.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>

namespace kgen {

/// True if the operation multiplies two tensors of static shapes and sums up the products, and does
/// nothing else to their elements but convert their types.
bool isStaticContraction(mlir::linalg::LinalgOp op);

/// True for sums of products of two inputs' elements, floats of one type, from zero on:
/// contractions and convolutions.
bool sumsProducts(mlir::linalg::LinalgOp op);

/// The operation itself if it is a linalg.generic, or else the generic that replaces it.
mlir::linalg::GenericOp asGeneric(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Replaces the operation by one without the loop `loop`, which has size one. A dimension of an
/// operand that the loop indexes is merged into its neighbor.
mlir::linalg::GenericOp dropUnitLoop(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                     unsigned loop);

/// Groups of adjacent dimensions that A and C have in the same order and B lacks: they are rows.
llvm::SmallVector<mlir::ReassociationIndices> rowGroups(mlir::linalg::GenericOp op);

/// Makes rows of batches that share their B if sizes after the first of them are known at run
/// time, so that all operands have strides that are known at build time. Products whose columns or
/// terms are counted at run time stay: they are those of an attention. Returns the operation that
/// replaces `op`, or `op` if there are no such rows.
mlir::linalg::LinalgOp joinDynamicRows(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Replaces the operation by the named operation that computes the same (linalg.matmul or
/// linalg.batch_matmul), if there is one.
void nameContraction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

} // namespace kgen
