// The steps of kgen-fold-into-ukernels, in its order; a file each.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/ukernel/Ukernel.h"

namespace kgen {

struct UkernelFolds {
  int64_t done = 0, refused = 0;
};
/// A gemm that accumulates into a tile of zeros starts from zero instead.
UkernelFolds foldZeroInit(mlir::ModuleOp module, DecisionLog &log);
/// A gemm and the elementwise operation on its result become one micro-kernel.
UkernelFolds fuseUkernelEpilogues(mlir::ModuleOp module, DecisionLog &log);
/// Checks the tiles of all calls against the descriptors, and reports every error; on success the
/// number of calls.
mlir::FailureOr<int64_t> verifyKernels(mlir::ModuleOp module);
/// Merges equal micro-kernels and drops those without a call; returns how many are gone.
int64_t deduplicateKernels(mlir::ModuleOp module, DecisionLog &log);

} // namespace kgen
