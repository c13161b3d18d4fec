// Floats of 8 bits in generated code: the bits are an i8, numbers are f32.
#pragma once

#include "support/TensorType.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace kgen {

/// The f32 that the bits of f8e4m3fn or f8e5m2 stand for: exact.
mlir::Value fromFloat8(mlir::OpBuilder &b, mlir::Location loc, mlir::Value bits, ElementType type);

/// Treatment of numbers beyond the largest one of a type.
enum class Overflow {
  saturates, ///< the largest one: ONNX's Cast
  isLost     ///< an infinity, or NaN in a type that has none: arith.truncf
};

/// The bits of an f32 rounded to the type: to nearest, ties to even. NaN becomes 0x7f.
mlir::Value toFloat8(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, ElementType type,
                     Overflow overflow = Overflow::saturates);

} // namespace kgen
