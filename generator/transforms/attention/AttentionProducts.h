// The products of kgen-expand-attention, on tensors. Scores are computed as [keys, queries]: K is
// read in place as the left operand, a block of Q is transposed once, and a lane of a vector is a
// query throughout.
#pragma once

#include "dialect/tpp/Tpp.h"
#include "transforms/attention/AttentionVectors.h"

namespace kgen {

class AttentionProducts {
public:
  /// What a block of queries works with.
  struct Queries {
    mlir::Value first; ///< of the block, among all
    int64_t count;
    mlir::Value transposed; ///< [d, whole vectors of queries]
  };
  /// A block of keys, and whether some queries may not see some of them.
  struct Keys {
    mlir::Value first;
    int64_t count;
    bool masked;
  };

  AttentionProducts(mlir::OpBuilder &b, AttentionOp op, TargetAttr target,
                    AttentionVectors &vectors);

  /// Brings K and V to the type of sums, once for all blocks.
  void widen();
  /// The block of queries from `first` on.
  Queries block(mlir::Value first, int64_t count);
  /// score(K * Q) as [keys, whole vectors of queries].
  mlir::Value scores(const Queries &queries, const Keys &keys);
  /// The sum of rows of V with `powers` as weights: if it `accumulate`s, added to `init`; with
  /// `inverse`, multiplied with it at the end. Written to `init`.
  mlir::Value weighted(mlir::Value powers, const Queries &queries, const Keys &keys,
                       mlir::Value init, mlir::Value inverse, bool accumulate);
  /// Rows of `values` times one factor each, written to `init` (null: in place).
  mlir::Value scaled(mlir::Value values, mlir::Value factors, mlir::Value init);
  /// The first `count` elements of the last dimension.
  mlir::Value firstOf(mlir::Value tensor, int64_t count);
  /// A tensor of the type of sums.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape) { return emptyOf(shape, element); }

  llvm::SmallVector<mlir::Value> batch; ///< the current indices

private:
  /// A range of a dimension.
  struct Part {
    unsigned dimension;
    mlir::Value offset;
    int64_t size;
  };

  mlir::Value emptyOf(llvm::ArrayRef<int64_t> shape, mlir::Type type);
  int64_t padded(int64_t count) { return llvm::alignTo(count, lanes); }
  mlir::Value widened(mlir::Value value);
  mlir::Value slice(mlir::Value tensor, mlir::AffineMap map, llvm::ArrayRef<Part> parts);
  mlir::AffineMap localMap(mlir::AffineMap map, llvm::ArrayRef<std::pair<unsigned, unsigned>> dims);
  tpp::GemmOp product(mlir::Value a, mlir::AffineMap aMap, mlir::Value right,
                      mlir::ValueRange extras, llvm::ArrayRef<mlir::AffineMap> extraMaps,
                      mlir::Value init, bool accumulate);
  mlir::Value extraTile(mlir::Value extra, mlir::AffineMap map, const Queries &queries,
                        const Keys &keys, mlir::AffineMap &local);

  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  mlir::Type element; ///< of sums
  int64_t lanes;
  AttentionVectors &vectors;
  int64_t d, e;     ///< elements of a key and of a value
  mlir::Value k, v; ///< in the type of sums
};

} // namespace kgen
