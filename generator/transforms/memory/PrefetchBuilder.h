// Builders for memref.prefetch, one per cache line.
#pragma once

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

namespace kgen {

constexpr unsigned localityL1 = 3, localityL2 = 2; ///< of memref.prefetch, by the nearest cache

struct PrefetchKind {
  bool isWrite;
  unsigned locality; ///< localityL1 or localityL2
};

/// Prefetches every line of `elements` elements of `memory` from `indices` on.
void prefetchLines(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory,
                   mlir::ValueRange indices, int64_t elements, PrefetchKind kind);

/// In a loop around contractions, prefetches blocks of rows of tensors larger than `cache` bytes:
/// the next block where it is read vector by vector, the current one where it is written so. The
/// lines are distributed over a following nest of loops with mathematical functions, if there is
/// one. Returns the number of blocks.
int64_t prefetchBlocks(mlir::scf::ForOp loop, int64_t cache);

/// The subview whose rows `memory` shows as one row (memref.collapse_shape), or `memory` itself.
mlir::Value sliceOf(mlir::Value memory);

/// The loop whose iterations each take another slice of a tensor, of which `slice` is one; or null.
mlir::scf::ForOp loopOverSlices(mlir::Value slice);

/// Builds the view that `slice` will be in the loop's next iteration, or in the first one of the
/// next iteration of the loop around it.
mlir::Value nextSlice(mlir::scf::ForOp loop, mlir::Value slice);

} // namespace kgen
