// mlir-opt's main function, which also reads files with templates.
#pragma once

#include <mlir/IR/DialectRegistry.h>
#include <mlir/Support/LLVM.h>

namespace kgen {

llvm::LogicalResult optimizeFile(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace kgen
