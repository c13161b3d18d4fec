// Activation functions that several operators have in common, for one element.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

namespace kgen {

/// Creates the operations of one body. NaN propagates.
struct Formula {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value number(mlir::Type type, double value) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value multiply(mlir::Value x, mlir::Value y) const;
  mlir::Value scaled(mlir::Value x, double factor) const;
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, double bound) const;
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no) const;
  /// `x`, or `bound` if that is greater (less). Compare and select is one instruction on x86.
  mlir::Value atLeast(mlir::Value x, mlir::Value bound) const;
  mlir::Value atMost(mlir::Value x, mlir::Value bound) const;

  /// x where it is positive or NaN, else `otherwise`.
  mlir::Value positivePart(mlir::Value x, mlir::Value otherwise) const;
  /// alpha * (exp(x / divisor) - 1) where x is not positive, else x.
  mlir::Value elu(mlir::Value x, double alpha, double divisor) const;
  /// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
  mlir::Value softplus(mlir::Value x) const;
  /// max(0, min(1, alpha * x + beta))
  mlir::Value hardSigmoid(mlir::Value x, double alpha, double beta) const;
};

} // namespace kgen
