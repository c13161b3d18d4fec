// Launches of a function as a table.
#pragma once

#include "driver/compile/Compile.h"
#include "emit/GpuInterface.h"
#include "graph/Graph.h"

#include <llvm/ADT/StringMap.h>

namespace kgen {

/// Adds the launches of the module's function, and the constants that kernels read. `kernels` are
/// the numbers of kernels by name, `weightPrefix` begins the symbols of constants.
void addLaunches(const Graph &graph, mlir::ModuleOp module, const llvm::StringMap<size_t> &kernels,
                 const std::string &weightPrefix, GpuTargetInterface &interface,
                 std::vector<WeightBlob> &weights);

} // namespace kgen
