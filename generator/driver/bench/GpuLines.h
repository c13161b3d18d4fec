// Times of a graph's function on a graphics card.
#pragma once

#include "driver/bench/Bench.h"
#include "driver/run/GpuProgram.h"

namespace kgen {

/// Calls the function of `graph`, whose inputs are in `call`, again and again in a process of its
/// own: with copies to the device and back, and on tensors in device memory where CUDA drives the
/// target. Each is a line, whose flops the caller knows.
llvm::Expected<std::vector<BenchLine>>
measureOnGpu(GpuProgram &program, const LibraryInterface &library, const GraphInterface &graph,
             const RunnableGpus::Target &target, GraphCall &call, const BenchOptions &options);

} // namespace kgen
