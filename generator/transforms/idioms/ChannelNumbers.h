// Numbers for each channel, as operands of an elementwise operation.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Returns a constant of i32 or f32, whose elements are the numbers.
mlir::Value channelNumbers(mlir::OpBuilder &b, mlir::Location loc, mlir::ArrayRef<double> numbers,
                           bool isInteger);

/// Replaces `op` by one that reads `tensors`, too, each along the loop `loop`; `arguments` get
/// their elements within its body.
mlir::linalg::GenericOp withChannelOperands(mlir::IRRewriter &b, mlir::linalg::GenericOp op,
                                            unsigned loop, mlir::ArrayRef<mlir::Value> tensors,
                                            mlir::SmallVectorImpl<mlir::Value> &arguments);

} // namespace kgen
