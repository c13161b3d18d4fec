// Cache lines of rows.
#pragma once
#include "target/Cpu.h"

#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// Returns the number of rows after which a row begins with a cache line again.
int64_t rowsToLineBoundary(mlir::RankedTensorType type, const Cpu &cpu);

} // namespace kgen
