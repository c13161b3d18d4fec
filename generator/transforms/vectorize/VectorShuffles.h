// Shuffles of two vectors that x86 has one instruction for.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

constexpr int64_t laneBits = 128; ///< shuffles are cheap within groups of lanes

/// Lanes of a vector in a group.
int64_t elementsInLane(mlir::Value vector);

/// The lower (upper) halves of the groups of two vectors, interleaved.
mlir::Value interleaveLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                            mlir::Value second, bool upper);

/// The even (odd) groups of two vectors, one vector after the other.
mlir::Value everyOtherLane(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                           mlir::Value second, bool odd);

/// A vector of lanes of two or more equal vectors: `place` says the vector and the lane in it that
/// a lane of the result comes from, which has as many of them. Takes a shuffle for each vector but
/// one.
mlir::Value
shuffleElements(mlir::OpBuilder &b, mlir::Location loc, mlir::ArrayRef<mlir::Value> vectors,
                llvm::function_ref<std::pair<int64_t, int64_t>(int64_t lane, int64_t lanes)> place);

/// Every n-th element of two or more vectors that follow each other, from one of the first n on;
/// less than a vector of them, if there are fewer than n.
mlir::Value deinterleave(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ArrayRef<mlir::Value> vectors, int64_t n, int64_t first);

} // namespace kgen
