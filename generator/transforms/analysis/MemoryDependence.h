// Which parts of buffers an operation reads and writes, with all that is in it.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// False only if it is proven that both, operations on buffers whose indices in loops have known
/// bounds, can be done in either order or at the same time.
bool mayDepend(mlir::Operation *one, mlir::Operation *other);

} // namespace kgen
