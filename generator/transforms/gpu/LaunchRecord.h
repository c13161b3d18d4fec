// Records of launches, for `kgen explain`.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "transforms/gpu/Kernels.h"

namespace kgen::gpu_kernels {

/// Gives a launch the names of all operations that it is of, those of the last one first. Records,
/// as "launch", its form, its work and where there were several tiles each with its cycles.
void recordLaunch(const BuiltKernel &kernel, mlir::ArrayRef<mlir::Operation *> operations,
                  int64_t number, DecisionLog &log);

} // namespace kgen::gpu_kernels
