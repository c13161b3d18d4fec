// Products of matrices, and convolutions, that DequantizeLinear made of bytes: of the bytes
// themselves.
#pragma once

#include "ops/window/ConvolutionSums.h"

namespace kgen {

/// The node that made each value, or null.
using Producers = std::vector<const Node *>;
Producers producersOf(const Graph &graph);

/// A MatMul, Gemm or Conv of two results of DequantizeLinear as one of what those read: its inputs
/// are the bytes in place of the matrices (image and filter), C (the bias), and then scale and zero
/// point of either side. Nothing where the scales do not allow for it, or sums could be too large
/// for i32.
std::optional<Node> withBytes(const Graph &graph, const Producers &producers, const Node &node);

/// True if the node is such a one.
bool multipliesBytes(const InferenceContext &context);

/// True if a convolution with this filter, [filters, channels of a group, ...], is one of bytes:
/// if channels are summed up, or each channel has one filter whose window loops over windows take.
/// Its sums are exact, and the same in all variants of a library; sums of f32 are not.
bool multipliesBytes(const TensorShape &filter, int64_t group);

/// The product of its matrices, as [batch..., m, n] of f32.
mlir::Value dequantizedProduct(LoweringContext &c, bool transA, bool transB);

/// Of a Conv: what belongs to the bytes.
ConvolutionOfBytes bytesOfConvolution(LoweringContext &c);

} // namespace kgen
