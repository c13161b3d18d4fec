// Operations of a sequence: their reads and writes, and the loops that count these.
#pragma once

#include "transforms/gpu/Sequence.h"

namespace kgen::gpu_kernels {

/// One that a statement reads or writes.
struct Access {
  mlir::Value base;
  bool isWritten;
  /// For each dimension of the base the loop that its index is; a null operation: another index.
  std::vector<SequenceLoop> at;
};

/// An operation on memrefs.
struct Statement {
  mlir::Operation *op;
  std::vector<Access> accesses;
};

/// Reads all operations of a sequence; false, and why, if there are some that no thread computes.
bool readStatements(Sequence &sequence, std::vector<Statement> &statements, std::string &reason);

/// The sizes of an operation's own loops: none for loads and stores.
llvm::SmallVector<int64_t> ownLoops(mlir::Operation *op);

} // namespace kgen::gpu_kernels
