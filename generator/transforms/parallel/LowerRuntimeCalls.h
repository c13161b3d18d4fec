// The steps of kgen-lower-runtime-calls, a file each. All return the number of what they changed.
#pragma once

#include <mlir/Conversion/LLVMCommon/LoweringOptions.h>
#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Options for conversions of types, whose indices are as wide as those of the module's target.
mlir::LowerToLLVMOptions runtimeCallOptions(mlir::ModuleOp module);

/// Launches become calls of the executor.
mlir::FailureOr<int64_t> lowerTaskLaunches(mlir::ModuleOp module);
/// Calls of functions from outside of the library become calls of the LLVM dialect, after which
/// the graph's function returns where they fail.
mlir::FailureOr<int64_t> lowerExternCalls(mlir::ModuleOp module);
/// Arguments of internal functions that are vectors of three f32, and that registers may not be
/// left for, become vectors of four.
int64_t widenVectorArguments(mlir::ModuleOp module);

} // namespace kgen
