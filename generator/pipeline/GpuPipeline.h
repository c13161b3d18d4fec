// The stages of code for graphics cards.
#pragma once

#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace kgen {

struct GpuStage {
  llvm::StringLiteral name, description;
  void (*add)(mlir::OpPassManager &, const std::string &weightPrefix);
};

/// From the ingress, with `kgen.gpu` on the module and without a `kgen.target`, to kernels and
/// their launches in order, with one workspace.
llvm::ArrayRef<GpuStage> gpuStages();

/// The passes of a stage and, if asked for, the check of its contract (pipeline/StageContracts.h).
void addGpuStage(mlir::OpPassManager &pm, const GpuStage &stage, const std::string &weightPrefix,
                 bool verifies);

/// From one kernel in a `gpu.module` to a `spirv.module` as Vulkan takes it.
void addSpirvPasses(mlir::OpPassManager &pm);

/// From kernels in a `gpu.module` to the LLVM dialect with NVIDIA's intrinsics.
void addNvvmPasses(mlir::OpPassManager &pm);

/// Gives kgen-opt the flags --kgen-gpu, --kgen-gpu-<stage>-stage and --kgen-gpu-to-spirv.
void registerGpuPipeline();

} // namespace kgen
