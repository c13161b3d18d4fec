#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Copies the operands of contractions that kernels cannot step through: rows that are a number of
/// elements apart that only a call knows, such as columns of a matrix with an open number of
/// columns, and columns that are no neighbors, such as every second one of a slice. Results are
/// copied to where they belong. Buffers of copies have an alignment, in bytes.
void copyOperandsWithoutRows(mlir::ModuleOp module, int64_t alignment);

} // namespace kgen
