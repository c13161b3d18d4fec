// The buffer or tensor that views are of.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

namespace kgen {

/// True if `op` is a slice, reshape or cast of its first operand, a buffer or tensor.
bool isViewLike(mlir::Operation *op);

/// Bytes of viewSource(memory); 0 if its size is not known.
int64_t bytesOfSource(mlir::Value memory);

/// The buffer or tensor that `memory` is a view of, through any number of views.
mlir::Value viewSource(mlir::Value memory);

/// The tensor that `tensor` is a slice of, also outside of the loops that carry it.
mlir::Value viewSourceThroughLoops(mlir::Value tensor);

} // namespace kgen
