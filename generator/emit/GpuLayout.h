// Device memory of a library: one range, whose places are known when the library is generated.
#pragma once

#include "emit/GpuInterface.h"
#include "emit/Library.h"

namespace kgen {

struct GpuRange {
  int64_t offset = 0, bytes = 0;
  int64_t end() const { return offset + bytes; }
};

/// Weights, then the workspace, then the tensors of the graph that runs. All begin at multiples of
/// gpuAlignment.
struct GpuLayout {
  std::vector<GpuRange> weights;
  int64_t workspaceOffset = 0; ///< and the end of the weights
  int64_t tensorOffset = 0;
  int64_t memoryBytes = 0;
  /// Of each graph of the library its inputs, then its outputs.
  std::vector<std::vector<GpuRange>> tensors;
  int64_t hostBytes = 0; ///< of memory that the CPU's functions use
};

GpuLayout layOutGpuMemory(const LibraryInterface &library, const GpuTargetInterface &target);

/// Returns the target's code for a graph of the library.
const GpuGraph &gpuGraphNamed(const GpuTargetInterface &target, const std::string &name);

/// The place in device memory of a binding of graph number `graph`: at least 4 bytes, and a
/// multiple of 4, which are never those of others.
GpuRange rangeOfBinding(const GpuLayout &layout, const LibraryInterface &library, size_t graph,
                        const GpuBinding &binding);

/// Places in the host's memory of what a function on the CPU takes: its inputs, its outputs, and
/// its workspace, the largest of its variants.
std::vector<GpuRange> hostRanges(const LibraryInterface &library, const GpuCpuStep &step);

/// True for each launch that must wait for those since the last one that waited: it reads what they
/// write, or writes what they read or write. All is done before a function on the CPU is called.
std::vector<bool> waitingLaunches(const GpuLayout &layout, const LibraryInterface &library,
                                  const GpuTargetInterface &target, size_t graph);

} // namespace kgen
