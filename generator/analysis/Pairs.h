// Pairs of elements in the last dimension, neighbours or an element of each half: which slices are
// the first or the second elements of a tensor's pairs, and which tensors are joined from these.
#pragma once

#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <optional>

namespace kgen {

/// The first or the second elements of pairs. Pairs are every two neighbours of the last dimension
/// (x[..., 0::2], x[..., 1::2]), that dimension itself (x[..., 0], x[..., 1]), or elements of its
/// two halves (x[..., :n], x[..., n:]).
struct PairSlice {
  mlir::Value source;                          ///< of what is taken apart; null for what is joined
  llvm::SmallVector<mlir::OpFoldResult> outer; ///< offsets in all dimensions but the last
  llvm::SmallVector<int64_t> sizes;            ///< of the slice
  int64_t offset;                              ///< in the last dimension
  bool isStrided;                              ///< pairs are neighbours of the last dimension

  static std::optional<PairSlice> match(mlir::OffsetSizeAndStrideOpInterface slice);
  /// The slice that `value` is: a tensor.extract_slice, or reads at the same indices.
  static std::optional<PairSlice> match(mlir::Value value);

  bool operator==(const PairSlice &other) const;
  /// True if the elements of a pair are neighbours.
  bool isInterleaved() const { return isStrided || sizes.back() == 1; }
  /// True if `second` has the second elements of the pairs whose first ones this has.
  bool isFirstBeside(PairSlice second) const;

  /// The first elements of interleaved pairs in which this has the elements at `position`; nothing
  /// if some of these pairs are not in its source.
  std::optional<PairSlice> firstOfPairs(int64_t &position) const;

  /// The shape of the slice that has both elements of the pairs.
  llvm::SmallVector<int64_t> shape() const;
  /// The offsets of that slice.
  llvm::SmallVector<mlir::OpFoldResult> offsets(mlir::Builder &b) const;
  /// That slice itself: `source` if that is all of it.
  mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// A tensor whose pairs are joined from their first and second elements.
struct PairJoin {
  mlir::Value first, second;        ///< of the pairs in row-major order
  llvm::SmallVector<int64_t> shape; ///< of all pairs
  bool isInterleaved;               ///< elements of a pair are neighbours
  std::optional<PairSlice> slice;   ///< of `dest` that they are; nothing: all of the tensor
  mlir::Value dest;
};

/// Nothing if `op` does not join pairs.
std::optional<PairJoin> pairJoin(mlir::Operation *op);

} // namespace kgen
