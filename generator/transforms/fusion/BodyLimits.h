// Size of a body after fusion, and its limit: the code of a body is one basic block, and LLVM's
// scheduler and register allocator take more than linear time for one.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// True if the operation that computes `operand` may become a part of its user: the heuristics
/// max_fused_operations and max_fused_values allow for the body that comes of it.
bool fitsOneBody(mlir::OpOperand &operand);

} // namespace kgen
