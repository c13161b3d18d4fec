#include "transforms/attention/AttentionPlan.h"

#include "costmodel/Caches.h"
#include "costmodel/TaskTiles.h"
#include "dialect/kgen/TypeSizes.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

using namespace mlir;

namespace kgen {

bool isOfFewQueries(AttentionOp op, TargetAttr target) {
  AttentionSizes sizes(op);
  AffineMap keys = op.getKMap();
  return !sizes.isDynamic(op.dimM()) &&
         keys.getDimPosition(keys.getNumResults() - 1) == op.dimD() &&
         2 * sizes.greatestOf(op.dimM()) < target.lanes(op.getAccumulatorType());
}

AttentionPlan::AttentionPlan(AttentionOp op, TargetAttr target, int64_t taskWork)
    : sizes(op), m(sizes.greatestOf(op.dimM())), n(sizes.greatestOf(op.dimN())),
      d(sizes.greatestOf(op.dimD())), e(sizes.greatestOf(op.dimE())) {
  hasFewQueries = isOfFewQueries(op, target);
  chooseBlocks(op, target);
  chooseTasks(op, taskWork);
}

/// Queries: a row of a block of scores is two cache lines long, one panel of the score gemm
/// (measured: 5 % faster than four or six lines). Keys: blocks of equal size that fill at most half
/// of L1. If twice that holds all keys, they are one block, which needs no rescaling. Of a dynamic
/// number of them, blocks fill half of L1; what is left over goes in blocks of a cache line of
/// scores, the last of which is padded. Queries that are left over go in blocks of a vector.
void AttentionPlan::chooseBlocks(AttentionOp op, TargetAttr target) {
  const int64_t rowBytes = 2 * target.cpu().lineBytes;
  if (hasFewQueries) {
    queryBlock = queryStep = m;
    keyBlock = keyStep = 2 * target.cpu().lineBytes / bytesOfElement(op.getAccumulatorType());
    return;
  }
  queryBlock = std::min(m, rowBytes / bytesOfElement(op.getAccumulatorType()));
  int64_t maxKeys =
      std::max<int64_t>(16, capacity(target.cpu(), Cache::l1, Share::half) / rowBytes);
  keyBlock = n <= 2 * maxKeys ? n : llvm::divideCeil(n, llvm::divideCeil(n, maxKeys));
  queryStep = target.lanes(op.getAccumulatorType());
  keyStep = target.cpu().lineBytes / bytesOfElement(op.getAccumulatorType());
  auto wholeSteps = [](int64_t block, int64_t step) {
    return std::max<int64_t>(llvm::alignDown(block, step), step);
  };
  if (sizes.isDynamic(op.dimM()))
    queryBlock = wholeSteps(queryBlock, queryStep);
  if (sizes.isDynamic(op.dimN()))
    keyBlock = wholeSteps(std::min(n, maxKeys), keyStep);
}

/// Divides batch dimensions, outer ones first, and then the queries into equal tasks of at least
/// `taskWork` scalar operations. At most 32 tasks along a dimension. Once there are 8 tasks,
/// further dimensions are not divided: that would make tasks shorter. A task has one index of a
/// dynamic batch dimension, which counts as its least size.
void AttentionPlan::chooseTasks(AttentionOp op, int64_t taskWork) {
  const Cpu &cpu = cpuOf(op);
  // Sizes without a bound, which are refused later, and large ones exceed 64 bits.
  double work = 2.0 * m * n * (static_cast<double>(d) + e);
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    work *= sizes.greatestOf(i);
  const double most = maxTasksOf(cpu);
  auto wanted = static_cast<int64_t>(std::clamp(work / taskWork, 0.0, most));
  int64_t count = 1;
  auto divide = [&](int64_t size, int64_t minSize) {
    bool isWanted = wanted >= 2 && count < std::min(wanted, sufficientTasksOf(cpu));
    int64_t best = isWanted ? evenParts(cpu, size, minSize, count, wanted) : 1;
    tasks.push_back(best);
    count *= best;
  };
  for (unsigned i = 0; i < op.getBatchRank(); ++i) {
    if (!sizes.isDynamic(i)) {
      divide(sizes.greatestOf(i), 1);
      taskSizes.push_back(sizes.greatestOf(i) / tasks.back());
      continue;
    }
    tasks.push_back(ShapedType::kDynamic);
    taskSizes.push_back(1);
    count *= std::max<int64_t>(sizes.leastOf(i), 1);
  }
  divide(m, queryBlock);
  taskSizes.push_back(m / tasks.back());
  if (!sizes.isDynamic(op.dimM()) || tasks.back() == 1)
    return;
  taskSizes.back() = llvm::alignTo(taskSizes.back(), queryBlock);
  tasks.back() = ShapedType::kDynamic;
}

} // namespace kgen
