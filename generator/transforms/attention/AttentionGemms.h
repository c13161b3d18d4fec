// The products of kgen-decompose-attention, on tensors. Scores are computed as [keys, queries]: K
// is read in place as the left operand, a block of Q is transposed once, and a lane of a vector is
// a query throughout. Powers are the transposed left operand of the second product, V in place is
// the right one. Where pairs of bf16 are multiplied, powers are written as pairs, a right operand,
// and V is transposed once: sums are [e, queries] then.
#pragma once

#include "dialect/tpp/Tpp.h"
#include "transforms/attention/OnlineSoftmax.h"

namespace kgen {

/// By what products are multiplied in advance.
struct ScoreScale {
  explicit ScoreScale(AttentionOp op);

  double factor = 1;                         ///< instead of `multiplication`
  bool areExponents = false;                 ///< and by log2(e): scores are exponents of 2
  mlir::Operation *multiplication = nullptr; ///< of a product in the region, by a constant
};

class AttentionGemms {
public:
  /// What a block of queries works with.
  struct Queries {
    mlir::Value first; ///< of the block, among all
    int64_t count;
    mlir::Value transposed; ///< [d, whole vectors of queries], or pairs of d as a panel
  };
  /// A block of keys, and whether some queries may not see some of them.
  struct Keys {
    mlir::Value first;
    int64_t count;
    bool masked;
  };

  AttentionGemms(mlir::OpBuilder &b, AttentionOp op, TargetAttr target, const ScoreScale &scale,
                 OnlineSoftmax &vectors);

  /// Prepares K and V once for all blocks.
  void prepare();
  /// The block of queries from `first` on.
  Queries block(mlir::Value first, int64_t count);
  /// score(K * Q) as [keys, whole vectors of queries].
  mlir::Value scores(const Queries &queries, const Keys &keys);
  /// The scores less `base` as powers, for `weighted`, and `sum` (null: 0) with them.
  OnlineSoftmax::Powers powers(mlir::Value scores, mlir::Value base, mlir::Value sum);
  /// The sum of rows of V with `powers` as weights, added to `before`; null: to 0.
  mlir::Value weighted(mlir::Value powers, const Queries &queries, const Keys &keys,
                       mlir::Value before);
  /// Such sums, each query's times its factor; in place.
  mlir::Value scaled(mlir::Value sums, const Queries &queries, mlir::Value factors);
  /// Such sums divided by those of powers, written to `target` [queries, e].
  mlir::Value divided(mlir::Value sums, const Queries &queries, mlir::Value sum,
                      mlir::Value target);
  /// `weighted` and `divided` in one.
  mlir::Value average(mlir::Value powers, const Queries &queries, const Keys &keys, mlir::Value sum,
                      mlir::Value target);

  llvm::SmallVector<mlir::Value> batch; ///< the current indices

private:
  /// A range of a dimension.
  struct Part {
    unsigned dimension;
    mlir::Value offset;
    int64_t size;
  };

  /// What scores are computed from besides products.
  struct Extra {
    mlir::Value value;
    mlir::AffineMap map;
    bool isTransposed; ///< by `transposed`
  };

  mlir::Value emptyOf(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  /// A tensor of the type of sums.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape) { return emptyOf(shape, element); }
  int64_t padded(int64_t count) { return llvm::alignTo(count, lanes); }
  mlir::Value firstOf(mlir::Value tensor, int64_t count);
  std::pair<mlir::Value, mlir::AffineMap> transposed(mlir::Value tensor, mlir::AffineMap map,
                                                     mlir::Type type);
  Extra prepared(mlir::Value tensor, mlir::AffineMap map);
  mlir::Type typeInTile(mlir::Value extra);
  mlir::Value panelOf(mlir::Value pairs);
  mlir::Value slice(mlir::Value tensor, mlir::AffineMap map, llvm::ArrayRef<Part> parts);
  mlir::AffineMap localMap(mlir::AffineMap map, llvm::ArrayRef<std::pair<unsigned, unsigned>> dims);
  tpp::GemmOp product(mlir::Value a, mlir::AffineMap aMap, mlir::Value right,
                      mlir::ValueRange extras, llvm::ArrayRef<mlir::AffineMap> epilogueMaps,
                      mlir::Value init, bool accumulate);
  mlir::Value product(mlir::Value powers, const Queries &queries, const Keys &keys,
                      mlir::Value init, mlir::Value inverse, bool accumulate);
  mlir::Value epilogueTile(const Extra &extra, const Queries &queries, const Keys &keys,
                           mlir::AffineMap &local);

  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  mlir::Type element;   ///< of sums
  int64_t lanes, cache; ///< of a vector; bytes of the second-level cache
  const ScoreScale &scale;
  OnlineSoftmax &vectors;
  int64_t d, e;         ///< elements of a key and of a value
  bool inPairs;         ///< of bf16, which one instruction multiplies
  mlir::Value q;        ///< before it was rounded, if `inPairs`
  mlir::Value k, v;     ///< in the type that is multiplied
  mlir::AffineMap vMap; ///< of v, which is transposed if `inPairs`
  llvm::SmallVector<Extra> extras;
};

} // namespace kgen
