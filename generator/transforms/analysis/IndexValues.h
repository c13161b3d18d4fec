// Enumerates the values of an index from constant loop bounds.
#pragma once

#include <mlir/IR/Operation.h>

#include <optional>

namespace kgen {

/// The values that `index` can have at `at`, ascending, at most 2^18: constants, variables of loops
/// with constant bounds (restricted by branches that compare a task's index with a constant),
/// coordinates of a task, and arithmetic on these. Nothing if they are not known, or are too many.
std::optional<llvm::SmallVector<int64_t>> possibleValues(mlir::Value index, mlir::Operation *at);

} // namespace kgen
