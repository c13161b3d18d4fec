// Builders for the scalar code of elementwise operations, as arith and math operations. The
// lowering of graphs, tile operations and their recognition all use these. NaN propagates through
// all.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/ValueRange.h>

namespace kgen::tpp::scalar {

/// 0 > x ? 0 : x keeps NaN and -0 and is what x86's maxps does in one instruction.
mlir::Value relu(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// x < 0 ? alpha * x : x.
mlir::Value leakyRelu(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x, double alpha);
/// With e = exp(-|x|), which cannot overflow: 1 / (1 + e) or e / (1 + e), so that small results
/// keep all their digits.
mlir::Value sigmoid(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// x * Phi(x) by the error function.
mlir::Value gelu(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// The approximation of gelu by tanh.
mlir::Value geluTanh(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value tanh(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value exp(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value log(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value sqrt(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value reciprocal(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// Also for integers, which wrap.
mlir::Value neg(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value abs(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value add(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value sub(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value mul(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value max(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value min(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// max and min; with `isUnsigned`, of integers without a sign.
mlir::Value maximum(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x, bool isUnsigned);
mlir::Value minimum(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x, bool isUnsigned);
mlir::Value div(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// True if x[0] equals x[1], the minimum or maximum of several elements, or if x[0] is NaN, which
/// makes x[1] NaN, too.
mlir::Value isExtremum(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// A signed integer of at least 32 bits and as many as x has that is the larger, the larger x is,
/// equal for both zeros, the largest one for NaN; with `isUnsigned`, of an integer without a sign.
/// An `x` of bf16 or f16 comes as f32.
mlir::Value ordered(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, bool isUnsigned);

mlir::Value zero(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);
/// `value` as a `type`; a float is rounded to nearest, an integer is truncated or sign-extended.
mlir::Value convert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type);

} // namespace kgen::tpp::scalar
