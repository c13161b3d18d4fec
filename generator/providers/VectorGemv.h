// Kernels with a single row of A (GEMV): one load for several elements of A.
#pragma once

#include "providers/KernelBuilder.h"

namespace kgen {

/// A single row uses each vector of B once, so load ports are the bottleneck, and a broadcast from
/// memory takes them as long as half a vector of B. Instead, one load serves several steps, each of
/// which broadcasts its element from the register.
class ScalarsOfA : ColumnCode {
public:
  ScalarsOfA(ukernel::GemmOp kernel, mlir::OpBuilder &builder, mlir::Type element)
      : ColumnCode(kernel, builder), element(element), count(16 / bytes(element)) {}

  /// Elements of one load.
  int64_t size() const { return count; }
  /// True if vectors of all columns have room for them.
  bool fits(mlir::ArrayRef<Column> columns) const;
  /// Begins a step whose element is at `at`, with `following` steps left in the loop body, this one
  /// included. False if the step must load its element itself.
  bool begin(mlir::Value at, int64_t following, const Column &widest);
  /// The step's element in all lanes.
  mlir::Value broadcastToLanes(const Column &column);

private:
  mlir::Value loaded(mlir::Value at, const Column &column);

  mlir::Type element;
  int64_t count;
  mlir::Value lanes; ///< the last load, repeated in each 128 bits of a vector
  int64_t left = 0;  ///< elements of the load that are not used yet, with the step's own
};

} // namespace kgen
