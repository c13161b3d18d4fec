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

/// Dimensions of the grid, by bits: x, y, z of the thread, then of the block.
using GridDims = unsigned;

constexpr GridDims threadDims = 0b111, blockDims = 0b111000;

/// On whose numbers the values of a kernel depend.
class GridDependence {
public:
  explicit GridDependence(mlir::gpu::GPUFuncOp kernel);

  GridDims dimsOf(mlir::Value value) const { return known.lookup(value); }
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
