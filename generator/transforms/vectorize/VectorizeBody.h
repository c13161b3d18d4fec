// Scalar code as the same code on vectors.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/IRMapping.h>

namespace kgen {

/// Of the types of an operation's operands and of the values in its body, where bf16 is computed in
/// f32. What `isSkipped` is true for is in no vector.
int64_t widestBits(mlir::linalg::GenericOp op,
                   llvm::function_ref<bool(mlir::Value)> isSkipped = {});

/// A scalar in each of `width` lanes; a vector as it is.
mlir::Value broadcastToLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                             int64_t width);

/// What the scalar code of `body` yields on vectors of `width`. `values` has vectors, or scalars
/// that are the same in all lanes, for those arguments of the block that the code uses. `instead`
/// may return what stands for an operation, whose operands it looks up (widened) by its second
/// argument.
mlir::Value vectorizeBody(
    mlir::OpBuilder &b, mlir::Location loc, mlir::Block &body, mlir::IRMapping &values,
    int64_t width,
    llvm::function_ref<mlir::Value(mlir::Operation &, llvm::function_ref<mlir::Value(mlir::Value)>)>
        instead = {});

} // namespace kgen
