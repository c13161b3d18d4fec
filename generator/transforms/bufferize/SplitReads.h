// Memory that nothing writes, as a value of its own for each reader: upstream's analysis looks at
// all readers of a tensor for each of them.
#pragma once

#include <mlir/IR/Operation.h>

namespace kgen {

/// Makes a tensor for each operation that only reads a constant, or a `bufferization.to_tensor`
/// that is not writable. What may be written, or becomes part of another tensor, keeps its operand.
class SplitReads {
public:
  explicit SplitReads(mlir::Operation *root);
  /// Makes one of all tensors of the same memory again.
  void join();

private:
  struct Copies {
    mlir::Value original;
    llvm::SmallVector<mlir::Operation *> ops;
  };
  llvm::SmallVector<Copies> split;
};

} // namespace kgen
