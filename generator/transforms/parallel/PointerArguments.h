// Buffers of unknown sizes as pointers, for calls with bare pointers.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Passes each `memref` argument of unknown size as the address of its first element. What the
/// function is given as sizes says how large it is. Returns how many there were.
mlir::FailureOr<int64_t> passBuffersAsPointers(mlir::func::FuncOp function);

} // namespace kgen
