// Prefetches of the rows of images that windows of a pool will read.
#pragma once

#include "costmodel/PrefetchPlan.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

namespace kgen {

/// Vectors of several rows of a large tensor that an innermost loop reads side by side, along the
/// rows; the loop around it continues with the next rows.
struct WindowPrefetch {
  mlir::scf::ForOp loop;
  mlir::vector::TransferReadOp last; ///< the one with the highest address
  WindowReads reads;
};

/// Those of an innermost loop that read tensors larger than `cache` bytes.
mlir::SmallVector<WindowPrefetch> windowPrefetches(mlir::scf::ForOp loop, int64_t cache);

/// Inserts prefetches of what later iterations read, in the order of addresses, whatever that of
/// the reads is: memory is much faster so, and the hardware prefetcher continues. False, and
/// nothing is inserted, if an iteration would need too many lines, or no whole number of them.
bool prefetchWindow(WindowPrefetch window);

} // namespace kgen
