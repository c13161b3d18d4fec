// Fuses consecutive, independent grids of tasks into one.
#include "analysis/MemoryDependence.h"
#include "analysis/TaskGrid.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/parallel/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEPARALLELLOOPSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

/// Independent loops, in the order of the function.
class LoopGroup {
public:
  explicit LoopGroup(scf::ForallOp first) : loops{first}, tasks(gridOf(first)->tasks()) {}

  /// Adds following loops; operations without effects between them move to the front. Stops at the
  /// first loop that depends on one of the group, or would make too many tasks: returns it, or
  /// null.
  scf::ForallOp addFollowing() {
    SmallVector<Operation *> between;
    for (Operation *op = loops.front()->getNextNode(); op; op = op->getNextNode()) {
      if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op)) {
        between.push_back(op);
        continue;
      }
      auto loop = dyn_cast<scf::ForallOp>(op);
      std::optional<TaskGrid> grid = loop ? gridOf(loop) : std::nullopt;
      if (!grid || !grid->isStatic() || loop.getNumResults() != 0 ||
          tasks + grid->tasks() > maxTasks ||
          llvm::any_of(loops, [&](scf::ForallOp other) { return mayDepend(other, loop); }))
        return loop;
      for (Operation *early : between)
        early->moveBefore(loops.front());
      between.clear();
      loops.push_back(loop);
      tasks += grid->tasks();
    }
    return {};
  }

  /// The operation after the last loop.
  Operation *next() { return loops.back()->getNextNode(); }

  size_t size() const { return loops.size(); }
  int64_t numTasks() const { return tasks; }
  Location getLoc() const {
    SmallVector<Location> locations(
        llvm::map_range(loops, [](scf::ForallOp loop) { return loop->getLoc(); }));
    return FusedLoc::get(locations, {}, locations.front().getContext());
  }

  /// Replaces the loops by one over all tasks, whose index selects the body.
  void fuse(IRRewriter &rewriter) {
    if (loops.size() == 1) {
      loops.front().removeMappingAttr();
      return;
    }
    Location loc = getLoc();
    rewriter.setInsertionPoint(loops.front());
    auto fused = scf::ForallOp::create(
        rewriter, loc, ArrayRef<OpFoldResult>{rewriter.getIndexAttr(tasks)}, ValueRange(), {});
    Value task = fused.getInductionVar(0);
    rewriter.setInsertionPoint(fused.getTerminator());
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
    Value index =
        affine::AffineApplyOp::create(rewriter, loop.getLoc(), AffineMap::get(1, 0, own), task);
    SmallVector<Value> variables = grid.variablesOf(rewriter, loop.getLoc(), index);
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
    DecisionLog log(getOperation(), getArgument());
    for (Block &block : getOperation().getBody())
      fuseIn(block, log);
  }

private:
  void record(const LoopGroup &group, scf::ForallOp refused, DecisionLog &log) {
    numFused += group.size() - 1;
    if (group.size() > 1)
      log.add("fused-grids", group.getLoc(),
              log.details().set("tasks", group.numTasks()).set("grids", int64_t(group.size())));
    if (!refused)
      return;
    ++numRefused;
    log.add("refused", refused.getLoc(),
            log.details().set("why", "depends on the grid before it, or makes too many tasks"));
  }

  /// Fuses loops of the block, and of the sequential loops in it.
  void fuseIn(Block &block, DecisionLog &log) {
    IRRewriter rewriter(&getContext());
    for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
      auto sequential = dyn_cast<scf::ForOp>(op);
      if (sequential)
        fuseIn(*sequential.getBody(), log);
      auto loop = dyn_cast<scf::ForallOp>(op);
      op = op->getNextNode();
      if (!loop || loop.getNumResults() != 0)
        continue;
      // The index of a task would not tell loops apart whose counts are known at run time.
      std::optional<TaskGrid> grid = gridOf(loop);
      if (!grid || !grid->isStatic())
        continue;
      LoopGroup group(loop);
      scf::ForallOp refused = group.addFollowing();
      record(group, refused, log);
      op = group.next();
      group.fuse(rewriter);
    }
  }
};

} // namespace
} // namespace kgen
