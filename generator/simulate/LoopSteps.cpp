// Loops and branches.
#include "simulate/Steps.h"

#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

/// Values that take the place of others, all at once: a loop's may swap.
class ValueMoves {
public:
  void add(Value from, Value to, StepBuilder &builder) {
    if (isa<MemRefType>(from.getType()))
      views.push_back({builder.viewOf(from), builder.viewOf(to)});
    else
      scalars.push_back({builder.scalarOf(from), builder.scalarOf(to)});
  }
  void run(Execution &execution) const {
    SmallVector<BufferView, 2> newViews;
    SmallVector<Lane, 4> newScalars;
    for (auto [from, to] : views)
      newViews.push_back(execution.views[from]);
    for (auto [from, to] : scalars)
      newScalars.push_back(execution.scalars[from]);
    for (size_t i = 0; i < views.size(); ++i)
      execution.views[views[i].second] = std::move(newViews[i]);
    for (size_t i = 0; i < scalars.size(); ++i)
      execution.scalars[scalars[i].second] = newScalars[i];
  }

private:
  std::vector<std::pair<int, int>> views, scalars;
};

class ForStep : public Step {
public:
  ForStep(scf::ForOp op, StepBuilder &builder)
      : site(builder.siteOf(op)), low(builder.scalarOf(op.getLowerBound())),
        high(builder.scalarOf(op.getUpperBound())), by(builder.scalarOf(op.getStep())),
        variable(builder.scalarOf(op.getInductionVar())) {
    for (auto [initial, argument, result] :
         llvm::zip(op.getInitArgs(), op.getRegionIterArgs(), op.getResults())) {
      begin.add(initial, argument, builder);
      end.add(argument, result, builder);
    }
    body = builder.blockOf(*op.getBody());
    for (auto [yielded, argument] :
         llvm::zip(op.getBody()->getTerminator()->getOperands(), op.getRegionIterArgs()))
      next.add(yielded, argument, builder);
  }

  void run(Execution &execution) const override {
    int64_t first = execution.scalars[low].i, last = execution.scalars[high].i,
            step = execution.scalars[by].i;
    if (step <= 0) {
      if (execution.machine)
        execution.machine->fault(site, "step", "has a step of " + std::to_string(step));
      return;
    }
    begin.run(execution);
    for (int64_t at = first; at < last; at += step) {
      execution.scalars[variable].i = at;
      if (execution.machine)
        execution.machine->enterIteration(LoopKind::sequential, 0, site, 0, at);
      body.run(execution);
      next.run(execution);
      if (execution.machine)
        execution.machine->leaveIteration(LoopKind::sequential);
    }
    end.run(execution);
  }

private:
  int site, low, high, by, variable;
  StepBlock body;
  ValueMoves begin, next, end;
};

class IfStep : public Step {
public:
  IfStep(scf::IfOp op, StepBuilder &builder) : condition(builder.scalarOf(op.getCondition())) {
    for (auto [region, branch] : {std::pair(&op.getThenRegion(), &branches[0]),
                                  std::pair(&op.getElseRegion(), &branches[1])}) {
      if (region->empty())
        continue;
      branch->first = builder.blockOf(region->front());
      for (auto [yielded, result] :
           llvm::zip(region->front().getTerminator()->getOperands(), op.getResults()))
        branch->second.add(yielded, result, builder);
    }
  }

  void run(Execution &execution) const override {
    const auto &[block, results] = branches[execution.scalars[condition].i & 1 ? 0 : 1];
    block.run(execution);
    results.run(execution);
  }

private:
  int condition;
  std::pair<StepBlock, ValueMoves> branches[2]; ///< then, else
};

class ForallStep : public Step {
public:
  ForallStep(scf::ForallOp op, LoopKind kind, StepBuilder &builder)
      : site(builder.siteOf(op)), kind(kind), order(op.getRank()) {
    for (OpFoldResult value : op.getMixedLowerBound())
      low.push_back(builder.indexOf(value));
    for (OpFoldResult value : op.getMixedUpperBound())
      high.push_back(builder.indexOf(value));
    for (OpFoldResult value : op.getMixedStep())
      by.push_back(builder.indexOf(value));
    for (Value variable : op.getInductionVars())
      variables.push_back(builder.scalarOf(variable));
    body = builder.blockOf(*op.getBody());
    // Numbers count x fastest, then y, then z, whichever order the dimensions have.
    std::iota(order.begin(), order.end(), 0);
    if (auto mapping = op.getMapping(); mapping && kind != LoopKind::sequential)
      llvm::stable_sort(order, [&](int a, int b) {
        auto id = [&](int d) {
          return cast<DeviceMappingAttrInterface>((*mapping)[d]).getMappingId();
        };
        return id(a) > id(b);
      });
  }

  void run(Execution &execution) const override {
    SmallVector<int64_t, 3> first, step, trips, count(order.size(), 0), at(order.size());
    int64_t total = 1;
    for (size_t d = 0; d < order.size(); ++d) {
      first.push_back(execution.index(low[d]));
      step.push_back(std::max<int64_t>(1, execution.index(by[d])));
      trips.push_back(
          std::max<int64_t>(0, (execution.index(high[d]) - first[d] + step[d] - 1) / step[d]));
      total *= trips.back();
    }
    MachineRun *machine = execution.machine;
    uint32_t loop = machine ? machine->enterLoop(kind, site, total) : 0;
    for (int64_t n = 0; n < total; ++n) {
      int64_t rest = n;
      for (int d : llvm::reverse(order)) {
        at[d] = first[d] + rest % trips[d] * step[d];
        execution.scalars[variables[d]].i = at[d];
        rest /= trips[d];
      }
      if (machine)
        machine->enterIteration(kind, loop, site, n, at);
      body.run(execution);
      if (machine)
        machine->leaveIteration(kind);
    }
    if (machine)
      machine->leaveLoop(kind);
  }

private:
  int site;
  LoopKind kind;
  SmallVector<IndexValue, 3> low, high, by;
  SmallVector<int, 3> variables;
  SmallVector<int, 3> order; ///< of the dimensions, the slowest first
  StepBlock body;
};

void addForall(scf::ForallOp op, StepBuilder &builder, StepBlock &block) {
  auto mapping = op.getMapping();
  auto areAll = [&](auto isKind) {
    return mapping && !mapping->empty() && llvm::all_of(*mapping, isKind);
  };
  bool blocks = areAll([](Attribute a) { return isa<gpu::GPUBlockMappingAttr>(a); });
  bool cores = areAll([](Attribute a) { return isa<gpu::GPUThreadMappingAttr>(a); });
  if (op.getNumResults() != 0)
    return builder.error(op, "'scf.forall' has results: bufferize it first");
  if (!blocks && !cores && builder.isForMachine)
    return builder.error(op, "'scf.forall' does not say where its iterations run",
                         "map all of its dimensions to #gpu.block (blocks) or to #gpu.thread "
                         "(cores of a block)");
  LoopKind kind = blocks ? LoopKind::blocks : cores ? LoopKind::cores : LoopKind::sequential;
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (auto forall = dyn_cast<scf::ForallOp>(outer); forall && builder.isForMachine) {
      bool isInCores = forall.getMapping() && llvm::any_of(*forall.getMapping(), [](Attribute a) {
                         return isa<gpu::GPUThreadMappingAttr>(a);
                       });
      if (isInCores || blocks)
        return builder.error(op,
                             isInCores ? "a parallel loop within one over cores"
                                       : "a loop over blocks within another one",
                             "cores run loops in turn: use scf.for");
    }
  builder.add(block, std::make_unique<ForallStep>(op, kind, builder));
}

} // namespace

bool addLoopStep(Operation *op, StepBuilder &builder, StepBlock &block) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    builder.add(block, std::make_unique<ForStep>(loop, builder));
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    builder.add(block, std::make_unique<IfStep>(branch, builder));
  else if (auto forall = dyn_cast<scf::ForallOp>(op))
    addForall(forall, builder, block);
  else
    return false;
  return true;
}

} // namespace kgen
