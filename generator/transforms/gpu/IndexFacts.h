// Properties of numbers in kernels that follow from the operations which compute them.
#pragma once

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/IR/Value.h>

#include <llvm/ADT/DenseMap.h>

#include <cstdint>

namespace kgen::gpu_kernels {

/// Finds numbers that divide indices.
class Divisors {
public:
  /// Returns a number that divides an index whatever threads and loops make of it; 0 for 0.
  int64_t divisorOf(mlir::Value value);

private:
  int64_t compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, int64_t> known;
};

/// Dimensions of the grid, by bits: x, y, z of the thread, then of the block; and that a value may
/// differ among threads by what they have read or run.
using GridDims = unsigned;

constexpr GridDims threadDims = 0b111, blockDims = 0b111000, variesAmongThreads = 0b1000000;

/// True if threads of a block may have other values.
inline bool isDivergent(GridDims dims) { return (dims & (threadDims | variesAmongThreads)) != 0; }

/// True for memory that the threads of a block share.
bool isShared(mlir::Type memref);

/// On whose numbers the values of a kernel depend.
class GridDependence {
public:
  explicit GridDependence(mlir::gpu::GPUFuncOp kernel);

  GridDims dimsOf(mlir::Value value) const { return known.lookup(value); }
  /// Those that decide which branch is taken, or the bounds of a loop; none for other operations.
  GridDims dimsOfControl(mlir::Operation *op) const;
  /// Those that decide whether, and how often, an operation runs.
  GridDims dimsAround(mlir::Operation *op) const;

private:
  GridDims dimsOf(mlir::ValueRange values) const;
  void add(mlir::Value value, GridDims dims);
  void visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, GridDims> known;
  bool hasChanged = false;
};

} // namespace kgen::gpu_kernels
