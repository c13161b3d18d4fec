// Products with weights of few bits in blocks: what MatMulNBits and quantized weights have in
// common.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Weights [n, k] with `bits` bits in blocks of `block` along k, as kgen.matmul_nbits takes them.
struct BlockWeights {
  mlir::Value weights, scales;
  mlir::Value zeros; ///< null: half of the range
  int64_t bits, block;
};

/// Values of a row with one scale, if rows of the node's product are quantized: as the node says,
/// else the graph, else `otherwise`. 0 if they are not.
int64_t rowScaleBlock(const InferenceContext &c, int64_t otherwise = 0);

/// Returns the values with one scale of rows that the node rounds; 0 if it rounds none.
int64_t roundedRowBlock(const Graph &graph, const Node &node);

/// [m, n] in f32: the product of `a` [m, k], in blocks of `rowScaleBlock` values if that is not 0,
/// and the transposition of the weights.
mlir::Value blockProduct(LoweringContext &c, mlir::Value a, const BlockWeights &weights,
                         int64_t rowScaleBlock);

/// True if input i is a weight that is to be quantized.
bool isQuantized(const InferenceContext &c, size_t i);

/// Reports a quantized input i whose blocks are longer than the k rows that are summed over.
bool checkBlockLength(const InferenceContext &c, size_t i, const Dim &k);

/// Input i, a weight [k, n] or, if `transposed`, [n, k], quantized by the rule in specs/README.md.
BlockWeights quantizedWeight(LoweringContext &c, size_t i, bool transposed);

} // namespace kgen
