// Block sizes and the task grid of kgen-decompose-attention.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

struct AttentionPlan {
  AttentionPlan(AttentionOp op, TargetAttr target, int64_t taskWork);

  llvm::SmallVector<int64_t> sizes; ///< of the iteration space
  int64_t m, n, d, e;               ///< queries, keys, elements of a key and of a value
  int64_t queryBlock, keyBlock;     ///< queries and keys of a block
  llvm::SmallVector<int64_t> tasks; ///< number of them along each batch dimension and along m

private:
  void chooseBlocks(AttentionOp op, TargetAttr target);
  void chooseTasks(AttentionOp op, int64_t taskWork);
};

} // namespace kgen
