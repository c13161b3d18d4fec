// Floats of 16 bits as integers: what the passes that expand bf16 and f16 have in common.
#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// The same type with other elements.
mlir::Type withElements(mlir::Type type, mlir::Type element);

/// Conversions between `narrow` and integers or f64 as two, by way of f32: the canonicalizer makes
/// one of them.
void convertByF32(mlir::ModuleOp module, mlir::FloatType narrow);

/// Rounding to nearest is what every rounding to `narrow` does: its mode, which says that the graph
/// asked for it, goes.
void dropDefaultRounding(mlir::ModuleOp module, mlir::FloatType narrow);

/// Replaces a type of 16 bits by i16 wherever it stands in the module, in constants too.
/// Instructions of a CPU that take it get casts. Fails, with an error, at arithmetic in the type,
/// which would mean something else on integers; conversions must be gone.
mlir::LogicalResult storeAsIntegers(mlir::ModuleOp module, mlir::FloatType narrow);

} // namespace kgen
