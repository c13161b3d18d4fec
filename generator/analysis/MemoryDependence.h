// Dependence analysis of operations on buffers.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// False only if both operations, with all that is in them, are proven independent: they may run in
/// either order or at the same time. Slices are compared where the bounds of their indices are
/// known.
bool mayDepend(mlir::Operation *one, mlir::Operation *other);

} // namespace kgen
