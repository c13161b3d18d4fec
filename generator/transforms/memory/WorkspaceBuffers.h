// Buffers of a workspace, and the order of the operations that use them.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TaskRange.h"
#include "transforms/memory/WorkspaceSizes.h"

namespace kgen {

/// A buffer of the workspace.
struct WorkspaceBuffer {
  mlir::memref::AllocOp op;
  int64_t size;        ///< bytes of all slots together, at most, a multiple of the alignment
  int64_t first, last; ///< positions of the first and the last use; a task loop is used as a whole
  int64_t offset = 0;  ///< bytes from the beginning of the workspace
  llvm::SmallVector<int64_t> writes;            ///< positions of operations that write to it
  mlir::LoopLikeOpInterface taskLoop = nullptr; ///< each of `tasks` has a slot
  TaskRange tasks = {0, 1};
  mlir::AffineExpr slotBytes = {},
                   allBytes = {};          ///< as functions of the sizes, of one slot and of all
  ByteCount offsetForm = {};               ///< the offset, likewise
  int64_t firstOfTask = 0, lastOfTask = 0; ///< positions of the uses in a task, if it has slots
  WorkspaceBuffer *region = nullptr; ///< that it shares; null: none, or it is the region's own
  bool livesWith(const WorkspaceBuffer &o) const { return first <= o.last && o.first <= last; }
};

/// The order of a function's operations. Positions count the operations of the entry block; loops
/// that become tasks or contain several numbered operations are replaced by the operations of their
/// bodies.
class OperationOrder {
public:
  explicit OperationOrder(mlir::Block &entry);

  llvm::ArrayRef<mlir::Operation *> all() const { return operations; }
  /// The first and the last position of the operation in the entry block around `op`, if any.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(mlir::Operation *op) const;
  /// The positions of all operations that `op` contains, or its own.
  std::pair<int64_t, int64_t> rangeWithin(mlir::Operation *op) const;
  /// The position of `op` or of the operation around it that has one.
  int64_t positionOf(mlir::Operation *op) const;

private:
  void add(mlir::Operation *op);

  mlir::Block &entry;
  llvm::SmallVector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> ranges;
};

/// Lets buffers of the tasks of one loop that have slots of one size, and no use at the same time
/// in a task, share a region: a task has the same slot in each of them.
void shareSlots(llvm::MutableArrayRef<WorkspaceBuffer> buffers);

/// Records the scheduled operations, and each buffer with its lifetime in indices of them.
void recordBuffers(DecisionLog &log, const OperationOrder &order,
                   llvm::MutableArrayRef<WorkspaceBuffer> buffers);

} // namespace kgen
