// The gemms of kgen-decompose-attention, on tensors.
//
// | gemm          | left operand             | right operand      | result            |
// |---------------|--------------------------|--------------------|-------------------|
// | scores        | K in place               | a block of Q^T     | [keys, queries]   |
// | values        | probabilities^T          | V in place         | [queries, e]      |
// | values, VNNI  | V^T, transposed once     | probabilities      | [e, queries]      |
//
// A vector lane is a query throughout. "VNNI": bf16 pairs are multiplied by one instruction; Q and
// the probabilities are packed in pairs along d and along the keys.
#pragma once

#include "dialect/tpp/Tpp.h"
#include "transforms/attention/OnlineSoftmax.h"

namespace kgen {

/// The constant factor of the scores, applied to Q (or, with VNNI, to the gemm's sums) instead of
/// in the region.
struct ScoreScale {
  explicit ScoreScale(AttentionOp op);

  double factor = 1;
  bool areExponents = false;                 ///< `factor` has log2(e): scores are exponents of 2
  mlir::Operation *multiplication = nullptr; ///< in the region, replaced by `factor`; or null
};

class AttentionGemms {
public:
  struct QueryBlock {
    mlir::Value first; ///< index of its first query
    int64_t count;
    mlir::Value available; ///< queries that there are; those after them are 0. Null: `count`
    mlir::Value
        transposed; ///< [d, count rounded up to whole vectors]; a VNNI panel with pairs of d
  };
  struct KeyBlock {
    mlir::Value first; ///< index of its first key
    int64_t count;
    bool masked;                ///< some queries of the block may not see some of its keys
    mlir::Value available = {}; ///< keys that there are; those after them are 0. Null: `count`
  };

  AttentionGemms(mlir::OpBuilder &b, AttentionOp op, TargetAttr target, const ScoreScale &scale,
                 OnlineSoftmax &softmax);

  /// Converts and, with VNNI, transposes K and V once for all blocks.
  void prepare();
  /// Transposes the block of `count` queries from `first` on, of which `available` are there.
  QueryBlock queryBlock(mlir::Value first, int64_t count, mlir::Value available = {});
  /// Weighted sums of no keys: zeros.
  mlir::Value noSums(const QueryBlock &queries);
  /// score(K * Q) as [keys, count rounded up to whole vectors].
  mlir::Value scores(const QueryBlock &queries, const KeyBlock &keys);
  /// exp(scores - runningMax), not normalized, in the layout that the value gemm reads; `sum` plus
  /// their sums over keys (a null `sum` counts as 0).
  OnlineSoftmax::Probabilities probabilities(mlir::Value scores, mlir::Value runningMax,
                                             mlir::Value sum);
  /// `before` plus probabilities * V (a null `before` counts as 0).
  mlir::Value weightedSums(mlir::Value probabilities, const QueryBlock &queries,
                           const KeyBlock &keys, mlir::Value before);
  /// Multiplies the weighted sums of each query with its factor, in place.
  mlir::Value rescaled(mlir::Value sums, const QueryBlock &queries, mlir::Value factors);
  /// Divides weighted sums by the sums of probabilities and writes them to `target` [queries, e].
  mlir::Value normalized(mlir::Value sums, const QueryBlock &queries, mlir::Value sum,
                         mlir::Value target);
  /// weightedSums and normalized in one; without VNNI, the division is the gemm's epilogue.
  mlir::Value weightedAverage(mlir::Value probabilities, const QueryBlock &queries,
                              const KeyBlock &keys, mlir::Value sum, mlir::Value target);

  llvm::SmallVector<mlir::Value> batch; ///< the current batch indices

private:
  /// `size` indices of an iteration dimension from `offset` on, of which `available` are there.
  struct DimRange {
    unsigned dimension;
    mlir::Value offset;
    int64_t size;
    mlir::Value available = {}; ///< null: all
  };

  /// An operand of the score region besides the gemm's sum, such as a mask.
  struct EpilogueOperand {
    mlir::Value value;
    mlir::AffineMap map;
    bool isTransposed; ///< `value` is [..., keys, queries] already
  };

  mlir::Value emptyOf(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A tensor with elements of the accumulator type.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape) { return emptyOf(shape, element); }
  int64_t padded(int64_t count) { return llvm::alignTo(count, lanes); }
  mlir::Value leadingColumns(mlir::Value tensor, int64_t count);
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  mlir::Value padWithZeros(mlir::Value slice, llvm::ArrayRef<int64_t> shape);
  std::pair<mlir::Value, mlir::AffineMap> transposed(mlir::Value tensor, mlir::AffineMap map,
                                                     mlir::Type type);
  EpilogueOperand prepareEpilogueOperand(mlir::Value tensor, mlir::AffineMap map);
  mlir::Type typeInTile(mlir::Value operand);
  mlir::Value vnniPanel(mlir::Value pairs);
  mlir::Value extractSlice(mlir::Value tensor, mlir::AffineMap map,
                           llvm::ArrayRef<DimRange> ranges);
  mlir::AffineMap localMap(mlir::AffineMap map, llvm::ArrayRef<std::pair<unsigned, unsigned>> dims);
  tpp::GemmOp createGemm(mlir::Value a, mlir::AffineMap aMap, mlir::Value right,
                         mlir::ValueRange epilogueIns, llvm::ArrayRef<mlir::AffineMap> epilogueMaps,
                         mlir::Value init, bool accumulate);
  mlir::Value reciprocals(mlir::Value sum);
  mlir::Value divided(mlir::OpBuilder &at, mlir::Location where, mlir::Value sum,
                      mlir::Value inverse);
  mlir::Value valueGemm(mlir::Value probabilities, const QueryBlock &queries, const KeyBlock &keys,
                        mlir::Value init, mlir::Value inverse, bool accumulate);
  mlir::Value epilogueTile(const EpilogueOperand &operand, const QueryBlock &queries,
                           const KeyBlock &keys, mlir::AffineMap &local);

  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  mlir::Type element;   ///< the accumulator type
  int64_t lanes, cache; ///< elements of a vector; bytes of L2
  const ScoreScale &scale;
  OnlineSoftmax &softmax;
  int64_t d, e;         ///< elements of a key; of a value
  GemmPlanAttr plan;    ///< of products of pairs, or null
  bool isVnni;          ///< one instruction multiplies pairs of bf16
  mlir::Value q;        ///< with VNNI, as it was before it was rounded
  mlir::Value k, v;     ///< in the type that is multiplied
  mlir::AffineMap vMap; ///< of `v`, which is transposed with VNNI
  llvm::SmallVector<EpilogueOperand> epilogueOperands;
};

} // namespace kgen
