#include "transforms/attention/AttentionPlan.h"

#include "dialect/kgen/TypeSizes.h"

using namespace mlir;

namespace kgen {

AttentionPlan::AttentionPlan(AttentionOp op, TargetAttr target, int64_t taskWork)
    : sizes(op.getIterationSizes()), m(sizes[op.dimM()]), n(sizes[op.dimN()]), d(sizes[op.dimD()]),
      e(sizes[op.dimE()]) {
  chooseBlocks(op, target);
  chooseTasks(op, taskWork);
}

/// Rows of a block of scores are a panel of sums long, two cache lines: measured, 5 % faster than
/// four or six of them. As many keys as let the block fill half of the first cache, in blocks of
/// equal size; twice as many at most are one block, which is not corrected.
void AttentionPlan::chooseBlocks(AttentionOp op, TargetAttr target) {
  constexpr int64_t rowBytes = 128;
  rowBlock = std::min(m, rowBytes / bytesOfElement(op.getAccumulatorType()));
  int64_t most = std::max<int64_t>(16, target.getL1d() / 2 / rowBytes);
  keyBlock = n <= 2 * most ? n : llvm::divideCeil(n, llvm::divideCeil(n, most));
}

/// A part of a batch dimension or of the queries is a task, if there is enough to do: outer
/// dimensions first, each in equal parts.
void AttentionPlan::chooseTasks(AttentionOp op, int64_t taskWork) {
  constexpr int64_t mostTasks = 32, enoughTasks = 8;
  int64_t work = 2 * m * n * (d + e), count = 1;
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    work *= sizes[i];
  int64_t wanted = std::min(mostTasks, work / taskWork);
  auto cut = [&](int64_t size, int64_t least) {
    int64_t best = 1;
    if (wanted >= 2 && count < std::min(wanted, enoughTasks))
      for (int64_t parts = 2; parts <= std::min(size, mostTasks); ++parts) {
        if (size % parts != 0 || size / parts < least)
          continue;
        best = parts;
        if (count * parts >= wanted)
          break;
      }
    tasks.push_back(best);
    count *= best;
  };
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    cut(sizes[i], 1);
  cut(m, rowBlock);
}

} // namespace kgen
