// Tile operations as linalg.generic, and elementwise generics as epilogues.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Creates a generic over all operands of `op`, the last of which is the destination; `body` gets
/// their elements.
mlir::linalg::GenericOp createGeneric(
    mlir::OpBuilder &b, tpp::TileOpInterface op,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body);

/// Creates the generic that computes what `op` does, on tensors or on memrefs.
mlir::linalg::GenericOp createGeneric(mlir::OpBuilder &b, tpp::ElementwiseOpInterface op);

/// A contraction whose epilogue an elementwise generic can become, or the reason against it.
struct EpilogueMatch {
  tpp::ContractionOpInterface gemm; ///< null if there is none
  llvm::StringRef refusal;          ///< empty unless a contraction's result is an operand
};

/// The contraction in the same block whose result only `op` reads, and only at the element that it
/// computes.
EpilogueMatch matchEpilogue(mlir::linalg::GenericOp op);

/// The contraction that matchEpilogue finds, or null.
tpp::ContractionOpInterface fusibleContraction(mlir::linalg::GenericOp op);

/// Appends `op` to the epilogue of `gemm`, which fusibleContraction found. Both are replaced by the
/// contraction that is returned.
tpp::ContractionOpInterface fuseIntoEpilogue(mlir::linalg::GenericOp op,
                                             tpp::ContractionOpInterface gemm);

} // namespace kgen
