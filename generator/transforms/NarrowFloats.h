// Floats of 16 bits as integers: what the passes that expand bf16 and f16 have in common.
#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// Replaces a type of 16 bits by i16 wherever it stands in the module, in constants too.
/// Instructions of a CPU that take it get casts. Fails, with an error, at arithmetic in the type,
/// which would mean something else on integers; conversions must be gone.
mlir::LogicalResult storeAsIntegers(mlir::ModuleOp module, mlir::FloatType narrow);

} // namespace kgen
