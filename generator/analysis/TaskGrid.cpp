#include "analysis/TaskGrid.h"

#include "analysis/IndexRange.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

using namespace mlir;

namespace kgen {

int64_t TaskGrid::tasks() const {
  int64_t product = 1;
  for (int64_t count : counts)
    product *= count;
  return product;
}

OpFoldResult TaskGrid::countOf(OpBuilder &b, Location loc, unsigned dimension) const {
  if (!ends[dimension])
    return b.getIndexAttr(counts[dimension]);
  AffineExpr end = b.getAffineSymbolExpr(0);
  return affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(0, 1, (end - lower[dimension]).ceilDiv(step[dimension])),
      OpFoldResult(ends[dimension]));
}

OpFoldResult TaskGrid::countTasks(OpBuilder &b, Location loc) const {
  OpFoldResult all = b.getIndexAttr(1);
  AffineExpr x = b.getAffineSymbolExpr(0), y = b.getAffineSymbolExpr(1);
  for (unsigned dimension = 0; dimension < counts.size(); ++dimension)
    all = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(0, 2, x * y),
                                                {all, countOf(b, loc, dimension)});
  return all;
}

SmallVector<Value> TaskGrid::variablesOf(OpBuilder &b, Location loc, Value task) const {
  SmallVector<Value> indices{task};
  SmallVector<OpFoldResult> basis;
  for (unsigned dimension = 0; dimension < counts.size(); ++dimension)
    basis.push_back(countOf(b, loc, dimension));
  if (counts.size() > 1)
    indices = SmallVector<Value>(affine::AffineDelinearizeIndexOp::create(b, loc, task, basis,
                                                                          /*hasOuterBound=*/true)
                                     .getResults());
  for (auto [index, from, by] : llvm::zip_equal(indices, lower, step)) {
    AffineExpr variable = b.getAffineDimExpr(0) * by + from;
    index = affine::AffineApplyOp::create(b, loc, AffineMap::get(1, 0, variable), index);
  }
  return indices;
}

Value TaskGrid::taskOf(OpBuilder &b, Location loc, ValueRange variables, int64_t factor,
                       int64_t offset) const {
  AffineExpr task = b.getAffineConstantExpr(0);
  SmallVector<Value> operands(variables);
  for (auto [d, count] : llvm::enumerate(counts)) {
    AffineExpr factorOfOuter = b.getAffineConstantExpr(count);
    if (ends[d]) {
      factorOfOuter = b.getAffineSymbolExpr(operands.size() - counts.size());
      operands.push_back(getValueOrCreateConstantIndexOp(b, loc, countOf(b, loc, d)));
    }
    task = task * factorOfOuter + (b.getAffineDimExpr(d) - lower[d]).floorDiv(step[d]);
  }
  auto map = AffineMap::get(counts.size(), operands.size() - counts.size(), task * factor + offset);
  return affine::AffineApplyOp::create(b, loc, map, operands);
}

std::optional<TaskGrid> gridOf(LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return std::nullopt;
  TaskGrid grid;
  int64_t tasks = 1;
  for (auto [from, to, by] : llvm::zip_equal(*lower, *upper, *step)) {
    std::optional<int64_t> first = getConstantIntValue(from), end = getConstantIntValue(to),
                           stride = getConstantIntValue(by);
    std::optional<IndexRange> ends = end ? IndexRange{*end, *end} : rangeOf(to);
    if (!first || !ends || !stride || *stride < 1)
      return std::nullopt;
    grid.ends.push_back(end ? Value() : cast<Value>(to));
    end = ends->last;
    int64_t count = llvm::divideCeilSigned(std::max<int64_t>(*end - *first, 0), *stride);
    if (llvm::MulOverflow(tasks, count, tasks) || tasks > maxTasks)
      return std::nullopt;
    grid.lower.push_back(*first);
    grid.step.push_back(*stride);
    grid.counts.push_back(count);
  }
  return grid;
}

LoopLikeOpInterface taskLoopOf(Operation *op) {
  LoopLikeOpInterface outermost;
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
    auto parallel = dyn_cast<scf::ParallelOp>(op);
    if (!isa<scf::ForallOp>(op) && !(parallel && parallel.getNumReductions() == 0))
      continue;
    std::optional<TaskGrid> grid = gridOf(cast<LoopLikeOpInterface>(op));
    if (grid && grid->tasks() > 1)
      outermost = cast<LoopLikeOpInterface>(op);
  }
  return outermost;
}

} // namespace kgen
