// Shuffles of two vectors for which x86 has one instruction.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

constexpr int64_t laneBits = 128; ///< shuffles are cheap within groups of lanes

/// Elements of a vector in a lane of 128 bits.
int64_t elementsInLane(mlir::Value vector);

/// Interleaves the lower (upper) halves of the 128-bit lanes of two vectors.
mlir::Value interleaveLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                            mlir::Value second, bool upper);

/// Returns the even (odd) 128-bit lanes of two vectors, one vector after the other.
mlir::Value everyOtherLane(mlir::OpBuilder &b, mlir::Location loc, mlir::Value first,
                           mlir::Value second, bool odd);

/// Builds a vector from elements of two or more vectors of its length. `source` returns the number
/// of the vector and the element in it for each element of the result. Takes a shuffle for each
/// vector but the first.
mlir::Value shuffleElements(
    mlir::OpBuilder &b, mlir::Location loc, mlir::ArrayRef<mlir::Value> vectors,
    llvm::function_ref<std::pair<int64_t, int64_t>(int64_t lane, int64_t lanes)> source);

/// Returns every n-th element of consecutive vectors from element `first` (less than n) on; fewer
/// elements than a vector if there are fewer than n vectors.
mlir::Value deinterleave(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ArrayRef<mlir::Value> vectors, int64_t n, int64_t first);

} // namespace kgen
