// How an operation reads tensors at places that its body computes (`tensor.extract`): what only
// serves to compute places, and how places move from one lane of a vector to the next.
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

  /// Tells along which loop vectors lie; -1: along none.
  void setVectorDim(int64_t dimension);

  /// Whether a value of the body, or an argument, is used for nothing but places.
  bool isOnlyIndex(mlir::Value value) const { return places.contains(value) && !escapes(value); }
  bool isIndex(mlir::Value value) const { return places.contains(value); }

  /// By how much a place grows from lane to lane, where that is always the same.
  std::optional<int64_t> stepOf(mlir::Value value) const;
  /// Whether a value is the same for all lanes whatever they are.
  bool isUniform(mlir::Value value) const;

private:
  bool escapes(mlir::Value value) const;
  std::optional<int64_t> computeLaneStride(mlir::Operation *op) const;

  mlir::linalg::GenericOp op;
  llvm::DenseSet<mlir::Value> places;
  llvm::DenseMap<mlir::Value, int64_t> steps;
  llvm::DenseSet<mlir::Value> varying;
};

/// Whether vectors can be made of an operation of a body: a read of a tensor from outside that
/// has whole bytes.
bool readsWholeBytes(mlir::tensor::ExtractOp extract);

} // namespace kgen
