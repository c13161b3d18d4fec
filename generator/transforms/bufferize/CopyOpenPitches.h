#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Copies the operands of contractions whose rows are a number of elements apart that only a call
/// knows, such as columns of a matrix with an open number of columns: kernels know the distance.
/// Results are copied to where they belong. Buffers of copies have an alignment, in bytes.
void copyOperandsOfOpenPitch(mlir::ModuleOp module, int64_t alignment);

} // namespace kgen
