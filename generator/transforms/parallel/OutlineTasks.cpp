// Outlines parallel loops as functions that run one task each, and launches of them.
#include "analysis/IndexRange.h"
#include "analysis/TaskGrid.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Size.h"
#include "transforms/parallel/LowerDynamicExpansions.h"
#include "transforms/parallel/MergeEqualTasks.h"
#include "transforms/parallel/Passes.h"
#include "transforms/parallel/PointerArguments.h"
#include "transforms/parallel/SplitFunctions.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/Transforms/Transforms.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_OUTLINETASKSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

/// The values from outside that a loop uses. Pure operations (constants, views, arithmetic) are
/// cloned into each task; what these need, in the end buffers and arguments, is captured.
struct Surroundings {
  llvm::SetVector<Value> used, captures;
  llvm::SetVector<Operation *> cloned; ///< operands before users

  Surroundings(scf::ParallelOp loop, const TaskGrid &grid) {
    getUsedValuesDefinedAbove(loop.getRegion(), loop.getRegion(), used);
    for (Value end : grid.ends)
      if (end)
        used.insert(end);
    for (Value value : used)
      need(value);
  }

private:
  void need(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isPure(op)) {
      captures.insert(value);
      return;
    }
    if (cloned.contains(op))
      return;
    for (Value operand : op->getOperands())
      need(operand);
    cloned.insert(op);
  }
};

bool usesSlot(scf::ParallelOp loop) {
  return loop.walk([](TaskSlotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Outlines the parallel loops of one function.
class Outliner {
public:
  Outliner(func::FuncOp function, SymbolTable &symbols, DecisionLog &log)
      : function(function), symbols(symbols), log(log), rewriter(function.getContext()) {}

  LogicalResult run();

  /// For statistics, after run().
  int64_t numLaunches = 0, numTasks = 0, numInlined = 0, numSequential = 0;

private:
  void inlineSmallGrids();
  LogicalResult outline(scf::ParallelOp loop);
  void launch(Location loc, func::FuncOp task, const TaskGrid &grid, ArrayRef<Value> captures,
              bool hasSlots);
  func::FuncOp makeTask(scf::ParallelOp loop, const TaskGrid &grid, const Surroundings &outside);
  void copyArgAttrs(func::FuncOp task, ArrayRef<Value> captures);
  void record(scf::ParallelOp loop, const TaskGrid &grid, func::FuncOp task);

  func::FuncOp function;
  SymbolTable &symbols;
  DecisionLog &log;
  IRRewriter rewriter;
  Value executor;
  int64_t count = 0;
};

/// Replaces grids of one task by their body, and erases those of none.
void Outliner::inlineSmallGrids() {
  function.walk([&](scf::ParallelOp loop) {
    std::optional<TaskGrid> grid = gridOf(loop);
    if (!grid || !grid->isStatic() || grid->tasks() > 1 || loop.getNumReductions() != 0)
      return;
    ++numInlined;
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> variables;
    for (int64_t first : grid->lower)
      variables.push_back(arith::ConstantIndexOp::create(rewriter, loop.getLoc(), first));
    if (grid->tasks() == 1) {
      rewriter.eraseOp(loop.getBody()->getTerminator());
      rewriter.inlineBlockBefore(loop.getBody(), loop, variables);
    }
    rewriter.eraseOp(loop);
  });
}

func::FuncOp Outliner::makeTask(scf::ParallelOp loop, const TaskGrid &grid,
                                const Surroundings &outside) {
  Location loc = loop.getLoc();
  ArrayRef<Value> captures = outside.captures.getArrayRef();
  SmallVector<Type> types(ValueRange(captures).getTypes());
  bool needsSlot = usesSlot(loop);
  types.append(needsSlot ? 2 : 1, rewriter.getIndexType());
  rewriter.setInsertionPoint(function);
  std::string name = (function.getName() + "_task" + std::to_string(count++)).str();
  auto task = func::FuncOp::create(rewriter, loc, name, rewriter.getFunctionType(types, {}));
  task.setPrivate();
  task->setAttr("llvm.linkage",
                LLVM::LinkageAttr::get(rewriter.getContext(), LLVM::Linkage::Internal));
  symbols.insert(task);
  copyArgAttrs(task, captures);
  record(loop, grid, task);
  Block *entry = task.addEntryBlock();
  rewriter.setInsertionPointToStart(entry);
  Value index = entry->getArgument(captures.size());
  SmallVector<Value> values;
  if (grid.isStatic())
    values = grid.variablesOf(rewriter, loc, index);
  IRMapping inside;
  inside.map(captures, entry->getArguments().take_front(captures.size()));
  for (Operation *op : outside.cloned)
    rewriter.clone(*op, inside);
  if (!grid.isStatic()) // after what computes the ends of its dimensions
    values = grid.variablesOf(rewriter, loc, index);
  auto end = func::ReturnOp::create(rewriter, loc);
  Block *body = loop.getBody();
  rewriter.eraseOp(body->getTerminator());
  rewriter.inlineBlockBefore(body, end, values);
  // Sizes of the grid are computed from the operands of what computes its ends, too.
  SmallVector<Value> known(outside.captures.getArrayRef());
  for (Operation *op : outside.cloned)
    llvm::append_range(known, op->getResults());
  for (Value value : known)
    value.replaceUsesWithIf(inside.lookup(value),
                            [&](OpOperand &use) { return task->isProperAncestor(use.getOwner()); });
  task.walk([&](TaskSlotOp slot) { rewriter.replaceOp(slot, entry->getArguments().back()); });
  return task;
}

/// Copies the attributes of the function's arguments (noalias, readonly) to the task's. Only if all
/// captured buffers are arguments: a view could be a second way to the same memory.
void Outliner::copyArgAttrs(func::FuncOp task, ArrayRef<Value> captures) {
  Block *entry = &function.getBody().front();
  auto isArgument = [&](Value capture) {
    auto argument = dyn_cast<BlockArgument>(capture);
    return argument && argument.getOwner() == entry;
  };
  for (auto [i, capture] : llvm::enumerate(captures))
    if (SizeAttr size = sizeAttrOf(capture))
      task.setArgAttr(i, sizeAttrName, size);
  if (!llvm::all_of(captures, [&](Value capture) {
        return isArgument(capture) || !isa<MemRefType>(capture.getType());
      }))
    return;
  for (auto [i, capture] : llvm::enumerate(captures))
    if (isArgument(capture))
      if (DictionaryAttr attributes =
              function.getArgAttrDict(cast<BlockArgument>(capture).getArgNumber()))
        task.setArgAttrs(i, attributes);
}

void Outliner::record(scf::ParallelOp loop, const TaskGrid &grid, func::FuncOp task) {
  if (!log.isOn())
    return;
  llvm::SetVector<int64_t> steps;
  llvm::SetVector<Location> work;
  loop.walk([&](Operation *op) {
    work.insert(op->getLoc());
    if (std::optional<int64_t> step = opIdOf(op->getLoc()))
      steps.insert(*step);
  });
  log.add("tasks", FusedLoc::get(work.getArrayRef(), {}, rewriter.getContext()),
          log.details()
              .set("symbol", task.getName())
              .set("tasks", grid.tasks())
              .set("grid", grid.counts)
              .set("steps", steps.getArrayRef()));
}

/// A number of tasks that may be 0 is asked for first: an executor runs at least one.
void Outliner::launch(Location loc, func::FuncOp task, const TaskGrid &grid,
                      ArrayRef<Value> captures, bool hasSlots) {
  OpFoldResult tasks = grid.countTasks(rewriter, loc);
  Value count = dyn_cast<Value>(tasks);
  std::optional<IndexRange> range = rangeOf(tasks);
  OpBuilder::InsertionGuard guard(rewriter);
  if (count && !(range && range->first > 0)) {
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value isAny = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, count, zero);
    auto branch = scf::IfOp::create(rewriter, loc, isAny, /*withElseRegion=*/false);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  LaunchOp::create(rewriter, loc, task.getName(), grid.tasks(), count, executor, captures,
                   hasSlots);
}

LogicalResult Outliner::outline(scf::ParallelOp loop) {
  TaskGrid grid = *gridOf(loop);
  Surroundings surroundings(loop, grid);
  ArrayRef<Value> captures = surroundings.captures.getArrayRef();
  for (Value capture : captures)
    if (!canBeCaptured(capture.getType()))
      return loop.emitError() << "cannot pass " << capture.getType() << " to its tasks";
  ++numLaunches;
  numTasks += grid.tasks();
  bool hasSlots = usesSlot(loop);
  func::FuncOp task = makeTask(loop, grid, surroundings);
  rewriter.setInsertionPoint(loop);
  launch(loop.getLoc(), task, grid, captures, hasSlots);
  rewriter.eraseOp(loop);
  return success();
}

LogicalResult Outliner::run() {
  if (function.isPublic()) {
    unsigned last = function.getNumArguments();
    auto pointer = LLVM::LLVMPointerType::get(function.getContext());
    if (failed(function.insertArgument(last, pointer, {}, function.getLoc())))
      return failure();
    executor = function.getArgument(last);
  }
  inlineSmallGrids();
  SmallVector<scf::ParallelOp> outermost, others;
  function.walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
    bool becomesTasks = executor && taskLoopOf(loop) == loop;
    (becomesTasks ? outermost : others).push_back(loop);
  });
  for (scf::ParallelOp loop : llvm::reverse(others))
    if (loop.getNumReductions() == 0) {
      ++numSequential;
      if (failed(scf::parallelForToNestedFors(rewriter, loop)))
        return failure();
    }
  for (scf::ParallelOp loop : outermost)
    if (failed(outline(loop)))
      return failure();
  // In loops that have not become tasks.
  function.walk([&](TaskSlotOp slot) { rewriter.replaceOp(slot, slot.getTask()); });
  return success();
}

struct OutlineTasksPass : impl::OutlineTasksPassBase<OutlineTasksPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DecisionLog log(getOperation(), getArgument());
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration()) {
        FailureOr<int64_t> pointers = passBuffersAsPointers(function);
        if (failed(pointers))
          return signalPassFailure();
        numPointers += *pointers;
        Outliner outliner(function, symbols, log);
        if (failed(outliner.run()))
          return signalPassFailure();
        numLaunches += outliner.numLaunches;
        numTasks += outliner.numTasks;
        numInlined += outliner.numInlined;
        numSequential += outliner.numSequential;
      }
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isDeclaration())
        splitLongFunction(function, symbols);
    numMerged += mergeEqualTasks(getOperation());
    // In tasks, too, which have computed such views anew from their pointers.
    getOperation().walk([](func::FuncOp function) { lowerDynamicExpansions(function); });
  }
};

} // namespace
} // namespace kgen
