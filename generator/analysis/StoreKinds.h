// The choice of where the results of an operation on tensors go, and by which stores.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/Stores.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// Returns what is written on `op`; where nothing is yet, what is chosen for it as it is.
/// kgen-reuse-operand-buffers asks before there are tiles, kgen-vectorize where it runs alone.
Stores storesOf(mlir::linalg::LinalgOp op, TargetAttr target);

/// THE choice: by the sizes of the tensors that operands are slices of, open ones by their bounds,
/// and by what a schedule demands. `isInTile`: operands of which there is only a tile at a time.
Stores chooseStores(
    mlir::linalg::LinalgOp op, TargetAttr target,
    llvm::function_ref<bool(mlir::OpOperand &)> isInTile = [](mlir::OpOperand &) { return false; });

} // namespace kgen
