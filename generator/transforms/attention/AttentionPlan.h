// Block sizes and the task grid of kgen-decompose-attention.
#pragma once

#include "transforms/attention/AttentionSizes.h"

namespace kgen {

struct AttentionPlan {
  AttentionPlan(AttentionOp op, TargetAttr target, int64_t taskWork);

  AttentionSizes sizes;             ///< of the iteration space
  int64_t m, n, d, e;               ///< queries, keys, elements of a key and of a value, at most
  int64_t queryBlock, keyBlock;     ///< queries and keys of a block
  bool hasFewQueries;               ///< fewer than half of a vector has lanes: FewQueries.h
  int64_t queryStep, keyStep;       ///< of smaller blocks, for what a dynamic size leaves over
  llvm::SmallVector<int64_t> tasks; ///< number of them along each batch dimension and along m;
                                    ///< dynamic: as many as the size has parts of a task's size
  llvm::SmallVector<int64_t> taskSizes; ///< of each dimension in a task; the last one of a dynamic
                                        ///< dimension may have less

private:
  void chooseBlocks(AttentionOp op, TargetAttr target);
  void chooseTasks(AttentionOp op, int64_t taskWork);
};

/// True if queries are so few that a vector lane is no query, and K is such that keys are read.
bool isOfFewQueries(AttentionOp op, TargetAttr target);

} // namespace kgen
