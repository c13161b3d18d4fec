#include "transforms/attention/AttentionPlan.h"

#include "costmodel/Caches.h"
#include "costmodel/TaskTiles.h"
#include "dialect/kgen/TypeSizes.h"

using namespace mlir;

namespace kgen {

AttentionPlan::AttentionPlan(AttentionOp op, TargetAttr target, int64_t taskWork)
    : sizes(op.getIterationSizes()), m(sizes[op.dimM()]), n(sizes[op.dimN()]), d(sizes[op.dimD()]),
      e(sizes[op.dimE()]) {
  chooseBlocks(op, target);
  chooseTasks(op, taskWork);
}

/// Queries: a row of a block of scores is two cache lines long, one panel of the score gemm
/// (measured: 5 % faster than four or six lines). Keys: blocks of equal size that fill at most half
/// of L1. If twice that holds all keys, they are one block, which needs no rescaling.
void AttentionPlan::chooseBlocks(AttentionOp op, TargetAttr target) {
  const int64_t rowBytes = 2 * target.cpu().lineBytes;
  queryBlock = std::min(m, rowBytes / bytesOfElement(op.getAccumulatorType()));
  int64_t maxKeys =
      std::max<int64_t>(16, capacity(target.cpu(), Cache::l1, Share::half) / rowBytes);
  keyBlock = n <= 2 * maxKeys ? n : llvm::divideCeil(n, llvm::divideCeil(n, maxKeys));
}

/// Divides batch dimensions, outer ones first, and then the queries into equal tasks of at least
/// `taskWork` scalar operations. At most 32 tasks along a dimension. Once there are 8 tasks,
/// further dimensions are not divided: that would make tasks shorter.
void AttentionPlan::chooseTasks(AttentionOp op, int64_t taskWork) {
  const Cpu &cpu = cpuOf(op);
  int64_t work = 2 * m * n * (d + e), count = 1;
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    work *= sizes[i];
  int64_t wanted = std::min(maxTasksOf(cpu), work / taskWork);
  auto divide = [&](int64_t size, int64_t minSize) {
    bool isWanted = wanted >= 2 && count < std::min(wanted, sufficientTasksOf(cpu));
    int64_t best = isWanted ? evenParts(cpu, size, minSize, count, wanted) : 1;
    tasks.push_back(best);
    count *= best;
  };
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    divide(sizes[i], 1);
  divide(m, queryBlock);
}

} // namespace kgen
