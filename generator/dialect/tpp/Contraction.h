// Semantics that tpp.gemm and tpp.brgemm share.
#pragma once

#include "dialect/tpp/TppInterfaces.h"

namespace kgen::tpp::contraction {

llvm::SmallVector<int64_t> iterationSizes(ContractionOpInterface op);
llvm::SmallVector<mlir::utils::IteratorType> iterationTypes(ContractionOpInterface op);
/// The map of operand `number` over the iteration space. Of packed B, only the dimensions that
/// index it: (..., k, n).
mlir::AffineMap operandMap(ContractionOpInterface op, unsigned number);
int64_t flops(ContractionOpInterface op);
bool acceptsEpilogueOperand(mlir::AffineMap map, mlir::Type element);
bool canTile(ContractionOpInterface op, unsigned dimension);
mlir::LogicalResult operandSlice(ContractionOpInterface op, mlir::OpBuilder &builder,
                                 unsigned number, llvm::ArrayRef<mlir::OpFoldResult> offsets,
                                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                 llvm::SmallVectorImpl<mlir::OpFoldResult> &sliceOffsets,
                                 llvm::SmallVectorImpl<mlir::OpFoldResult> &sliceSizes);

} // namespace kgen::tpp::contraction
