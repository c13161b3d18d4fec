// What an index can be, where that follows from the loops around it.
#pragma once

#include <mlir/IR/Operation.h>

#include <optional>

namespace kgen {

/// All that `index` can be where `at` stands, ascending: of constants, of variables of loops with
/// constant bounds, in branches that ask whether they are less than a constant too, and of what is
/// computed from them. Nothing if that is not known, or if it is too much.
std::optional<llvm::SmallVector<int64_t>> possibleValues(mlir::Value index, mlir::Operation *at);

} // namespace kgen
