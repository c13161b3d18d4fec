// Constants that left a module.
#pragma once

#include "driver/compile/Compile.h"

namespace kgen {

/// Takes the outlined constants off the module, with their memory; translation to LLVM IR does not
/// know them.
std::vector<WeightBlob> takeWeights(mlir::ModuleOp module);

} // namespace kgen
