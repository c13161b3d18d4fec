// The part of a library for graphics cards: <library>_gpu.h and <library>_gpu.c.
#pragma once

#include "emit/Names.h"

namespace kgen {

/// Of <library>_gpu_status; their values are their indices in the list, which are those of
/// kgenrt_status in runtime/gpu/tables.h.
struct GpuStatus {
  const char *name;    ///< without the prefix: "OK"
  const char *meaning; ///< of the enumerator, and the text of the status
};
const std::vector<GpuStatus> &gpuStatuses();

/// Declares all names of the part for graphics cards; nothing for a library without one.
void declareGpuNames(
    const LibraryInterface &library,
    llvm::function_ref<void(const std::string &name, const std::string &what)> declare);

/// True if a target of the library is driven by CUDA: functions take device pointers, too.
bool hasCuda(const LibraryInterface &library);
bool hasVulkan(const LibraryInterface &library);

/// Bytes of <library>_gpu.
int64_t gpuObjectBytes(const LibraryInterface &library);

/// A name for a parameter of kgen's own that no tensor of the graph has.
std::string gpuParameterName(const LibraryInterface &library, const GraphInterface &graph,
                             const std::string &wanted);

/// The functions of a graph, as they are declared, without a semicolon.
std::string gpuRunPrototype(const LibraryInterface &library, const GraphInterface &graph);
std::string gpuEnqueuePrototype(const LibraryInterface &library, const GraphInterface &graph);

std::string emitGpuHeader(const LibraryInterface &library);
std::string emitGpuSource(const LibraryInterface &library);

/// The tables of the library's targets, as C.
std::string gpuTables(const LibraryInterface &library);

} // namespace kgen
