// What elementwise operations do to one element, as arith and math operations: the only place that
// says so, for the lowering of graphs, for tile operations and for what recognizes them. NaN
// propagates through all of them.
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
/// Its approximation by tanh.
mlir::Value geluTanh(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value tanh(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value exp(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value log(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value sqrt(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value reciprocal(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// Of integers, too, which wrap.
mlir::Value neg(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value abs(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value add(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value sub(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value mul(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value max(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value min(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
mlir::Value div(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);
/// Whether x[0] is the extremum x[1] of a number of elements: NaN is, and then there is no other.
mlir::Value isExtremum(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x);

mlir::Value zero(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);
/// `value` as a `type`; a float is rounded to nearest, an integer is cut or extended by its sign.
mlir::Value convert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value, mlir::Type type);

} // namespace kgen::tpp::scalar
