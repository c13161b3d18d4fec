// Emulation of bf16 and f16 as integers of 16 bits.
#pragma once

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// Emulates bf16 on all targets (EmulateBf16.cpp). Fails, with an error, at arithmetic in bf16.
mlir::LogicalResult emulateBf16(mlir::ModuleOp module);
/// Emulates f16 on targets without F16C (EmulateF16.cpp). Fails, with an error, at arithmetic in
/// f16.
mlir::LogicalResult emulateF16(mlir::ModuleOp module);

/// `type`, or a scalar, with the element type `element`.
mlir::Type withElements(mlir::Type type, mlir::Type element);

/// Splits conversions between `narrow` and integers or f64, which the canonicalizer makes, into two
/// by way of f32.
void convertByF32(mlir::ModuleOp module, mlir::FloatType narrow);

/// Removes the rounding mode to_nearest_even from roundings to `narrow`: it is the default. The
/// graph asked for it explicitly so that no pass folds the rounding away.
void dropDefaultRounding(mlir::ModuleOp module, mlir::FloatType narrow);

/// Replaces the type `narrow` by i16 in all types and constants of the module. CPU instructions
/// (intrinsics) that take it get casts. Conversions must be expanded before. Fails, with an error,
/// at arithmetic in the type.
mlir::LogicalResult storeAsIntegers(mlir::ModuleOp module, mlir::FloatType narrow);

} // namespace kgen
