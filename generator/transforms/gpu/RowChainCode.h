// The code of a chain of operations on rows.
#pragma once

#include "transforms/gpu/Kernels.h"

namespace kgen::gpu_kernels {

/// The part of an operation in a chain of rows: a number of each row by all its elements, by the
/// row alone, or an element of each element.
enum class RowRole { none, sum, row, element };
RowRole roleOf(const GenericLoops &loops, int64_t rows, int64_t elements);

/// The number of loops that together have so many points; nothing if there is none.
std::optional<size_t> prefixWith(llvm::ArrayRef<int64_t> sizes, int64_t points);

/// True if the operand's elements are in the order of the first `loops` loops, and do not depend on
/// the others.
bool isInOrder(const LoopOperand &operand, llvm::ArrayRef<int64_t> sizes, size_t loops);

/// The one operation that adds a term to result `number`; null if there are more, or if none is
/// neutral to it.
mlir::Operation *combinerOf(const GenericLoops &loops, unsigned number);

struct RowShape {
  int64_t rows, elements;
  int64_t threads;     ///< of a row, a power of 2
  int64_t slots;       ///< elements of a thread, at a time
  int64_t rowsOfBlock; ///< side by side

  /// Elements of a row that its threads have at a time.
  int64_t elementsAtATime() const { return threads * slots; }
  /// True if these are not all: then each operation goes along the row again.
  bool isLong() const { return elements > elementsAtATime(); }
};

BuiltKernel buildRowKernel(mlir::gpu::GPUModuleOp module, mlir::StringRef name,
                           mlir::ArrayRef<GenericLoops> chain, const RowShape &shape);

} // namespace kgen::gpu_kernels
