#include "dialect/kgen/TaskRange.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {

TaskRange taskRangeOf(Operation *op, LoopLikeOpInterface loop, int64_t tasks) {
  TaskRange range{0, tasks};
  std::optional<SmallVector<Value>> variables = loop.getLoopInductionVars();
  for (Operation *inner = op; inner != loop && inner->getParentOp(); inner = inner->getParentOp()) {
    auto choice = dyn_cast<scf::IfOp>(inner->getParentOp());
    auto compare = choice ? choice.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult || !variables ||
        variables->size() != 1 || compare.getLhs() != variables->front())
      continue;
    std::optional<int64_t> limit = getConstantIntValue(compare.getRhs());
    if (!limit)
      continue;
    if (inner->getParentRegion() == &choice.getThenRegion())
      range.end = std::min(range.end, *limit);
    else
      range.first = std::max(range.first, *limit);
  }
  return range;
}

int64_t executionCount(Operation *op) {
  int64_t count = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
         step = loop.getLoopSteps();
    if (!lower || !upper || !step)
      continue;
    int64_t iterations = 1;
    for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step)) {
      auto a = getConstantIntValue(from), b = getConstantIntValue(to), c = getConstantIntValue(by);
      if (a && b && c && *c > 0)
        iterations *= llvm::divideCeilSigned(std::max(*b - *a, int64_t(0)), *c);
    }
    TaskRange tasks = taskRangeOf(op, loop, iterations);
    count *= tasks.end - tasks.first;
  }
  return count;
}

} // namespace kgen
