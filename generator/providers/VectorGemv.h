// The single row of A that a kernel has, by several elements at a time.
#pragma once

#include "providers/KernelBuilder.h"

namespace kgen {

/// A single row uses each vector of B once: what loads is the bottleneck, and spreading an element
/// from memory takes it as long as half a vector of B. So a step takes its element from one load
/// for several steps.
class VectorSingleRow : ColumnCode {
public:
  VectorSingleRow(ukernel::GemmOp kernel, mlir::OpBuilder &builder, mlir::Type element)
      : ColumnCode(kernel, builder), element(element), count(16 / bytes(element)) {}

  /// Elements that are loaded at once.
  int64_t size() const { return count; }
  /// Whether columns have all of them.
  bool fits(mlir::ArrayRef<Column> columns) const;
  /// Begins a step whose element is at `at`; the same body has `following` steps from it on. False
  /// if the element has to be read by itself.
  bool begin(mlir::Value at, int64_t following, const Column &widest);
  /// The step's element in all lanes.
  mlir::Value broadcastToLanes(const Column &column);

private:
  mlir::Value loaded(mlir::Value at, const Column &column);

  mlir::Type element;
  int64_t count;
  mlir::Value lanes; ///< those that were read last, in all parts of a vector
  int64_t left = 0;  ///< how many of them are not used yet, and the step's own
};

} // namespace kgen
