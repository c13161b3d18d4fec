// Bytes that are made of sums in the order of the sums, and transposed then.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Returns the operations of the body that compute `bytes`, itself included, in their order.
llvm::SetVector<mlir::Operation *> computing(mlir::arith::TruncIOp bytes);

/// Splits the operation after `bytes`, which depends on the operand `sums` and on operands that
/// are constant along other dimensions, if the operation reads `sums` transposed: bytes are four
/// times as fast to transpose, and what makes them can be the end of what computes the sums.
/// Returns what takes the place of `op`, with operands that are not read any more.
mlir::SmallVector<mlir::linalg::GenericOp> narrowBeforeTransposing(mlir::IRRewriter &rewriter,
                                                                   mlir::linalg::GenericOp op,
                                                                   mlir::arith::TruncIOp bytes,
                                                                   mlir::OpOperand &sums);

} // namespace kgen
