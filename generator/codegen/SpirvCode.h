// SPIR-V as bytes.
#pragma once

#include <mlir/Dialect/SPIRV/IR/SPIRVOps.h>

#include <llvm/Support/Error.h>

#include <string>

namespace kgen {

/// The words of the module, least significant byte first.
llvm::Expected<std::string> spirvBytes(mlir::spirv::ModuleOp module);

} // namespace kgen
