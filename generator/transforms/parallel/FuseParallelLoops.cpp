// Grids of tasks that follow each other and do not depend on each other become one.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"
#include "transforms/analysis/MemoryDependence.h"
#include "transforms/analysis/TaskGrid.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEPARALLELLOOPSPASS
#include "transforms/Passes.h.inc"

namespace {

/// Loops whose tasks can run at the same time, in the order in which they stand.
class Together {
public:
  explicit Together(scf::ForallOp first) : loops{first}, tasks(gridOf(first)->tasks()) {}

  /// Adds loops that follow; what stands between moves to the front.
  void addFollowing() {
    SmallVector<Operation *> between;
    for (Operation *op = loops.front()->getNextNode(); op; op = op->getNextNode()) {
      if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)) {
        between.push_back(op);
        continue;
      }
      auto loop = dyn_cast<scf::ForallOp>(op);
      std::optional<TaskGrid> grid = loop ? gridOf(loop) : std::nullopt;
      if (!grid || loop.getNumResults() != 0 || tasks + grid->tasks() > maxTasks ||
          llvm::any_of(loops, [&](scf::ForallOp other) { return mayDepend(other, loop); }))
        return;
      for (Operation *early : between)
        early->moveBefore(loops.front());
      between.clear();
      loops.push_back(loop);
      tasks += grid->tasks();
    }
  }

  /// What follows the last loop.
  Operation *next() { return loops.back()->getNextNode(); }

  /// One loop over all tasks; which of the bodies a task runs follows from its number.
  void join(IRRewriter &rewriter) {
    if (loops.size() == 1) {
      loops.front().removeMappingAttr();
      return;
    }
    SmallVector<Location> places(llvm::map_range(loops, [](auto loop) { return loop.getLoc(); }));
    Location loc = FusedLoc::get(places, {}, rewriter.getContext());
    rewriter.setInsertionPoint(loops.front());
    auto joined = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{rewriter.getIndexAttr(tasks)}, ValueRange(), {});
    Value task = joined.getInductionVar(0);
    rewriter.setInsertionPoint(joined.getTerminator());
    int64_t first = 0;
    for (scf::ForallOp loop : loops) {
      TaskGrid grid = *gridOf(loop);
      int64_t end = first + grid.tasks();
      scf::IfOp isHere;
      if (end < tasks) {
        Value limit = arith::ConstantIndexOp::create(rewriter, loc, end);
        Value isBefore =
            arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, task, limit);
        isHere = scf::IfOp::create(rewriter, loc, isBefore, /*withElseRegion=*/true);
        rewriter.setInsertionPointToStart(isHere.thenBlock());
      }
      moveBody(rewriter, loop, grid, task, first);
      if (isHere)
        rewriter.setInsertionPointToStart(isHere.elseBlock());
      first = end;
    }
  }

private:
  static void moveBody(IRRewriter &rewriter, scf::ForallOp loop, const TaskGrid &grid, Value task,
                       int64_t first) {
    AffineExpr own = rewriter.getAffineDimExpr(0) - first;
    Value place =
        affine::AffineApplyOp::create(rewriter, loop.getLoc(), AffineMap::get(1, 0, own), task);
    SmallVector<Value> variables = grid.variablesOf(rewriter, loop.getLoc(), place);
    rewriter.eraseOp(loop.getTerminator());
    Block *into = rewriter.getInsertionBlock();
    rewriter.inlineBlockBefore(loop.getBody(), into, rewriter.getInsertionPoint(), variables);
    rewriter.eraseOp(loop);
  }

  SmallVector<scf::ForallOp> loops;
  int64_t tasks;
};

struct FuseParallelLoopsPass : impl::FuseParallelLoopsPassBase<FuseParallelLoopsPass> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      joinIn(block);
  }

private:
  /// In the block and in the sequential loops in it.
  void joinIn(Block &block) {
    IRRewriter rewriter(&getContext());
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      auto sequential = dyn_cast<scf::ForOp>(op);
      if (sequential)
        joinIn(*sequential.getBody());
      auto loop = dyn_cast<scf::ForallOp>(op);
      op = op->getNextNode();
      if (!loop || loop.getNumResults() != 0 || !gridOf(loop))
        continue;
      Together together(loop);
      together.addFollowing();
      op = together.next();
      together.join(rewriter);
    }
  }
};

} // namespace
} // namespace kgen
