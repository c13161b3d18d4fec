// PTX, the assembly of NVIDIA's cards, as text.
#pragma once

#include <mlir/Dialect/GPU/IR/GPUDialect.h>

#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <string>

namespace kgen {

/// The kernels of a `gpu.module` of the LLVM dialect as LLVM IR.
llvm::Expected<std::unique_ptr<llvm::Module>> ptxModule(mlir::gpu::GPUModuleOp kernels,
                                                        llvm::LLVMContext &context);

/// The PTX of a module, which is optimized first; with `ir`, the optimized IR as text.
llvm::Expected<std::string> ptxText(llvm::Module &module, std::string *ir = nullptr);

} // namespace kgen
