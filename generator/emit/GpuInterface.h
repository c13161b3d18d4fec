// The part of a library that runs on a graphics card, as tables: <library>_gpu.c has them, and what
// runs them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

/// The place of a buffer that a kernel reads or writes.
enum class GpuMemory { input, output, workspace, weight };

/// A range of one of a graph's buffers, as a kernel's argument.
struct GpuBinding {
  GpuMemory memory = GpuMemory::input;
  int64_t number = 0; ///< of the input, the output or of GpuTargetInterface::weights
  int64_t offset = 0; ///< in bytes, a multiple of gpuAlignment
  int64_t bytes = 0;  ///< that the kernel may touch, from the offset on
  bool isWritten = false;
};

/// Bytes: offsets of bindings are multiples. Vulkan promises that devices ask for 256 at most
/// (minStorageBufferOffsetAlignment).
constexpr int64_t gpuAlignment = 256;
/// Bytes: device pointers of the caller's are multiples. Where nothing else is said a kernel may
/// rely on no more than this.
constexpr int64_t gpuPointerAlignment = 16;

/// One kernel on a grid of blocks. Launches run in order: each sees what those before it wrote.
struct GpuLaunch {
  size_t kernel = 0; ///< of GpuTargetInterface::kernels
  std::array<int64_t, 3> blocks{1, 1, 1};
  std::vector<GpuBinding> bindings; ///< in the order of the kernel's arguments
  std::string node;                 ///< of the graph, for messages and comments
};

struct GpuKernel {
  std::string name; ///< of the entry point
  std::array<int64_t, 3> threads{1, 1, 1};
  int64_t sharedBytes = 0; ///< of a block
  std::string code; ///< Vulkan: a SPIR-V module of its own, a multiple of 4 bytes; CUDA: empty
};

/// A call of a function on the CPU between launches, in whose order it runs.
struct GpuCpuStep {
  size_t function = 0;              ///< of LibraryInterface::cpuFunctions
  size_t launch = 0;                ///< of the graph's that is the next one
  std::vector<GpuBinding> bindings; ///< its inputs, then its outputs: whole tensors
};

struct GpuGraph {
  std::string name; ///< of a LibraryInterface::graphs
  int64_t workspaceBytes = 0;
  std::vector<GpuLaunch> launches;
  std::vector<GpuCpuStep> cpuSteps{}; ///< in order
};

/// A constant in memory: an object file of the folder defines the symbol, hidden, aligned to 64
/// bytes.
struct GpuWeight {
  std::string symbol;
  int64_t bytes = 0;
};

enum class GpuApi { vulkan, cuda };

/// Features that kernels ask of a device beyond 32-bit floats and integers.
struct GpuFeatures {
  bool usesFloat16 = false, usesInt8 = false, usesInt16 = false, usesInt64 = false,
       usesFloat64 = false;
  bool stores8Bits = false, stores16Bits = false; ///< buffers of elements of these widths
  std::array<bool, 3> keepsSpecials{}; ///< -0, infinities and NaN of floats of 16, 32, 64 bits
  int64_t sharedBytes = 0;             ///< the most of a kernel
};

/// The library's code for one kind of device.
struct GpuTargetInterface {
  std::string target; ///< "vulkan"
  GpuApi api = GpuApi::vulkan;
  std::string module;          ///< CUDA: PTX text with all kernels; Vulkan: empty
  int64_t majorCapability = 0; ///< CUDA: the least compute capability, 80 for 8.0; Vulkan: 0
  GpuFeatures features;
  std::vector<GpuKernel> kernels;
  std::vector<GpuWeight> weights;
  std::vector<GpuGraph> graphs;
};

} // namespace kgen
