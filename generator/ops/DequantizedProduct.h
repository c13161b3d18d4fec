// Products of matrices that DequantizeLinear made of bytes: of the bytes themselves.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// The node that made each value, or null.
using Producers = std::vector<const Node *>;
Producers producersOf(const Graph &graph);

/// A MatMul or Gemm of two results of DequantizeLinear as one of what those read: its inputs are
/// the bytes in place of the matrices, C, and then scale and zero point of either side. Nothing
/// where the scales do not allow for it, or sums could be too large for i32.
std::optional<Node> withBytes(const Graph &graph, const Producers &producers, const Node &node);

/// Whether the node is such a one.
bool multipliesBytes(const InferenceContext &context);

/// The product of its matrices, as [batch..., m, n] of f32.
mlir::Value dequantizedProduct(LoweringContext &c, bool transA, bool transB);

} // namespace kgen
