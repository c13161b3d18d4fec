// Turns the scalar body of an operation into vector code.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/IRMapping.h>

namespace kgen {

/// Returns the bits of the widest type of operands and body values; bf16 is computed in f32.
/// `isSkipped` values are not vectorized.
int64_t widestBits(mlir::linalg::GenericOp op,
                   llvm::function_ref<bool(mlir::Value)> isSkipped = {});

/// Broadcasts a scalar to `width` lanes; returns a vector as it is.
mlir::Value broadcastToLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                             int64_t width);

/// Vectorizes `body` with `width` lanes and returns what it yields. `values` maps the arguments
/// that it uses to vectors or to scalars that are broadcast. `instead` may return a replacement for
/// an operation; its second argument looks up vectorized operands.
mlir::Value vectorizeBody(
    mlir::OpBuilder &b, mlir::Location loc, mlir::Block &body, mlir::IRMapping &values,
    int64_t width,
    llvm::function_ref<mlir::Value(mlir::Operation &, llvm::function_ref<mlir::Value(mlir::Value)>)>
        instead = {});

} // namespace kgen
