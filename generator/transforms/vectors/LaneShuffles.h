// Shuffles of two vectors that x86 has one instruction for.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

constexpr int64_t groupBits = 128; ///< shuffles are cheap within groups of lanes

/// Lanes of a vector in a group.
int64_t lanesInGroup(mlir::Value vector);

/// The lower (upper) halves of the groups of two vectors, interleaved.
mlir::Value interleaveGroups(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                             mlir::Value second, bool upper);

/// The even (odd) groups of two vectors, one vector after the other.
mlir::Value everyOtherGroup(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                            mlir::Value second, bool odd);

} // namespace kgen
