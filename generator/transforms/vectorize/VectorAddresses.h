// Index arithmetic in a body that reads tensors at computed indices (`tensor.extract`): which
// values only serve as indices, and their stride from lane to lane.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>

namespace kgen {

class VectorAddresses {
public:
  explicit VectorAddresses(mlir::linalg::GenericOp op);

  /// Sets the vectorized loop; -1: none.
  void setVectorDim(int64_t dimension);

  /// True if a value or argument of the body is used as an index only.
  bool isOnlyIndex(mlir::Value value) const {
    return indexValues.contains(value) && !escapes(value);
  }
  bool isIndex(mlir::Value value) const { return indexValues.contains(value); }

  /// Returns the constant difference of an index between neighbouring lanes; nothing if it varies.
  std::optional<int64_t> laneStride(mlir::Value value) const;
  /// True if a value is the same in all lanes.
  bool isUniform(mlir::Value value) const;

private:
  bool escapes(mlir::Value value) const;
  std::optional<int64_t> computeLaneStride(mlir::Value index) const;

  mlir::linalg::GenericOp op;
  llvm::DenseSet<mlir::Value> indexValues;
  llvm::DenseMap<mlir::Value, int64_t> strides;
  llvm::DenseSet<mlir::Value> varying;
};

/// True if an extract of the body can be vectorized: its tensor has a static shape and whole bytes.
bool readsWholeBytes(mlir::tensor::ExtractOp extract);

} // namespace kgen
