// The loops of operations of dialect/kgen/NamedOps.td.
#pragma once

#include "dialect/kgen/NamedOps.h"

#include <string>

namespace kgen {

/// The loops of an operation.
struct DecomposedOp {
  llvm::SmallVector<mlir::Value> results;
  std::string form; ///< that was chosen, for `kgen explain`
};

/// Builds the loops that suit the caches of the target, before `op`.
DecomposedOp buildSoftmax(mlir::OpBuilder &b, SoftmaxOp op);
DecomposedOp buildLogSumExp(mlir::OpBuilder &b, LogSumExpOp op);
DecomposedOp buildArgExtremum(mlir::OpBuilder &b, ArgExtremumOp op);
DecomposedOp buildCumulativeSum(mlir::OpBuilder &b, CumulativeSumOp op);
DecomposedOp buildTopK(mlir::OpBuilder &b, TopKOp op);
DecomposedOp buildGridSample(mlir::OpBuilder &b, GridSampleOp op);
DecomposedOp buildRotaryEmbedding(mlir::OpBuilder &b, RotaryEmbeddingOp op);
DecomposedOp buildQuantizedProduct(mlir::OpBuilder &b, QuantizedProductOp op);
DecomposedOp buildNormalization(mlir::OpBuilder &b, NormalizationOp op);

} // namespace kgen
