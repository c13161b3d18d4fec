// Asking for the rows of images that windows will reach.
#pragma once

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

namespace kgen {

/// Vectors of several rows of a large tensor that an innermost loop reads side by side, going on
/// along the rows; the loop around it goes on to the next ones.
struct WindowPrefetch {
  mlir::scf::ForOp loop;
  mlir::vector::TransferReadOp last; ///< of them, in memory
  int64_t elements;                  ///< that a step reads
  int64_t column, row;               ///< elements per step of either loop
};

/// Of a loop without others inside, those of memory that is larger than `cache`.
mlir::SmallVector<WindowPrefetch> windowPrefetches(mlir::scf::ForOp loop, int64_t cache);

/// Asks for what is some steps away, in the order in which the memory lies, whatever that of the
/// reads is: memory is much faster so, and the prefetcher of the hardware goes on.
void prefetchWindow(WindowPrefetch stream);

} // namespace kgen
