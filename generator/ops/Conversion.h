// Conversions of one element between element types, as arith and math operations. MLIR's integers
// have no sign, so that these functions are told the element type.
#pragma once

#include "ops/Float8.h"
#include "ops/Lowering.h"

#include <utility>

namespace kgen {

/// True if operators compute with elements of the type by unsigned operations: u32 and u64.
/// Narrower ones become signed numbers of 32 bits.
bool computesUnsigned(ElementType type);

/// The smallest and the largest number of an integer type; of u64, the largest one has the bits of
/// -1.
std::pair<int64_t, int64_t> limitsOf(ElementType type);

/// An integer element of `type` with at least as many bits: the same number.
mlir::Value extended(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, ElementType type,
                     mlir::Type wider);

/// saturate(round(x) + zeroPoint), of floats: to nearest, ties to even. NaN becomes the smallest
/// number of `type`. Without a zero point (null), it is 0.
mlir::Value quantized(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value zeroPoint,
                      ElementType type);
/// Quantizes with a zero point that is known.
mlir::Value quantizedAround(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                            int64_t zeroPoint, ElementType type);

/// ONNX's Cast of one element. Where ONNX leaves the result open: floats out of an integer type's
/// range become its nearest number, NaN becomes 0. An `x` of bf16 or f16 comes as f32. `overflow`
/// is that of floats of 8 bits.
mlir::Value castElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, ElementType from,
                        ElementType to, Overflow overflow = Overflow::saturates);

/// LoweringContext::elementwise into the node's result, for operators all of whose inputs have one
/// type: `body` gets integers of 8 and 16 bits as i32, and what it returns is truncated to those.
mlir::Value computed(LoweringContext &c, mlir::ValueRange operands,
                     const LoweringContext::Body &body);

} // namespace kgen
