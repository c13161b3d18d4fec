#include "transforms/memory/WorkspaceBuffers.h"

#include <mlir/Analysis/SliceAnalysis.h>

using namespace mlir;

namespace kgen {
namespace {

/// True if a sequential loop contains numbered operations (kgen-assign-op-ids), and has no number
/// itself.
bool containsNumberedOps(Operation *op) {
  return isa<scf::ForOp>(op) && !opIdOf(op->getLoc()) &&
         op->walk([](Operation *inner) {
             return opIdOf(inner->getLoc()) ? WalkResult::interrupt() : WalkResult::advance();
           }).wasInterrupted();
}

/// True if it selects one of the bodies of a grid of tasks (kgen-fuse-parallel-loops).
bool selectsTaskBody(Operation *op) {
  return isa<scf::IfOp>(op) &&
         (taskLoopOf(op) == op->getParentOp() || isa<scf::IfOp>(op->getParentOp()));
}

} // namespace

OperationOrder::OperationOrder(Block &entry) : entry(entry) {
  for (Operation &op : entry) {
    int64_t first = operations.size();
    add(&op);
    ranges[&op] = {first, static_cast<int64_t>(operations.size()) - 1};
  }
  for (auto [index, op] : llvm::enumerate(operations))
    positions[op] = index;
}

std::optional<std::pair<int64_t, int64_t>> OperationOrder::rangeOf(Operation *op) const {
  Operation *top = entry.findAncestorOpInBlock(*op);
  return top ? std::optional(ranges.lookup(top)) : std::nullopt;
}

std::pair<int64_t, int64_t> OperationOrder::rangeWithin(Operation *op) const {
  int64_t first = std::numeric_limits<int64_t>::max(), last = -1;
  op->walk([&](Operation *inner) {
    if (auto found = positions.find(inner); found != positions.end()) {
      first = std::min(first, found->second);
      last = std::max(last, found->second);
    }
  });
  return last < 0 ? std::pair(positionOf(op), positionOf(op)) : std::pair(first, last);
}

int64_t OperationOrder::positionOf(Operation *op) const {
  while (!positions.contains(op))
    op = op->getParentOp();
  return positions.lookup(op);
}

void shareSlots(MutableArrayRef<WorkspaceBuffer> buffers) {
  SmallVector<SmallVector<WorkspaceBuffer *>> regions;
  for (WorkspaceBuffer &buffer : buffers) {
    if (!buffer.taskLoop || !buffer.op.getDynamicSizes().empty())
      continue;
    auto takes = [&](ArrayRef<WorkspaceBuffer *> region) {
      return llvm::all_of(region, [&](const WorkspaceBuffer *other) {
        return other->taskLoop == buffer.taskLoop && other->size == buffer.size &&
               other->tasks.first == buffer.tasks.first && other->tasks.end == buffer.tasks.end &&
               (other->lastOfTask < buffer.firstOfTask || buffer.lastOfTask < other->firstOfTask);
      });
    };
    auto *region = llvm::find_if(regions, takes);
    if (region == regions.end()) {
      regions.push_back({&buffer});
      continue;
    }
    WorkspaceBuffer *own = region->front();
    own->first = std::min(own->first, buffer.first);
    own->last = std::max(own->last, buffer.last);
    buffer.region = own;
    region->push_back(&buffer);
  }
}

void OperationOrder::add(Operation *op) {
  if (taskLoopOf(op) != op && !containsNumberedOps(op) && !selectsTaskBody(op)) {
    operations.push_back(op);
    return;
  }
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      add(&inner);
}

namespace {

/// An operation that writes to memory, or all of those with one number, in the order of the
/// function.
struct ScheduledOp {
  Operation *op;
  int64_t first, last; ///< positions
  llvm::SmallVector<int64_t> positions;
  llvm::SetVector<Location> names; ///< of the nodes that compute what is written
};

/// Adds the names of `op` and of all that its operands are computed from in registers: the last
/// operation of a chain writes for all of it.
void addNames(Operation *op, ScheduledOp &scheduled) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  options.filter = [](Operation *each) {
    return !llvm::any_of(each->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  };
  SetVector<Operation *> all;
  if (failed(getBackwardSlice(op, &all, options)))
    return;
  for (Operation *each : all)
    each->walk([&](Operation *inner) {
      for (StringAttr name : namesIn(inner->getLoc()))
        scheduled.names.insert(NameLoc::get(name));
    });
}

SmallVector<ScheduledOp> scheduledOps(const OperationOrder &order) {
  SmallVector<ScheduledOp> ops;
  llvm::DenseMap<int64_t, size_t> ofNumber;
  for (auto [index, op] : llvm::enumerate(order.all())) {
    auto copy = dyn_cast<memref::CopyOp>(op);
    if (copy && copy.getSource() == copy.getTarget())
      continue;
    auto effects = getEffectsRecursively(op);
    bool writes = !effects || llvm::any_of(*effects, [](auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect());
    });
    if (!writes)
      continue;
    int64_t at = index;
    std::optional<int64_t> number = opIdOf(op->getLoc());
    auto [known, isNew] =
        number ? ofNumber.try_emplace(*number, ops.size()) : std::pair(ofNumber.end(), true);
    if (isNew)
      ops.push_back({op, at, at, {}, {}});
    ScheduledOp &same = number ? ops[known->second] : ops.back();
    same.last = at;
    same.positions.push_back(at);
    if (number)
      addNames(op, same);
  }
  return ops;
}

} // namespace

void recordBuffers(DecisionLog &log, const OperationOrder &order,
                   MutableArrayRef<WorkspaceBuffer> buffers) {
  if (!log.isOn())
    return;
  SmallVector<ScheduledOp> ops = scheduledOps(order);
  for (ScheduledOp &scheduled : ops) {
    SmallVector<Location> locations{scheduled.op->getLoc()}; // its number comes first
    llvm::append_range(locations, scheduled.names);
    log.add("scheduled", FusedLoc::get(locations, {}, scheduled.op->getContext()),
            log.details().set("operation", scheduled.op->getName().getStringRef()));
  }
  SmallVector<int64_t> firsts, lasts;
  llvm::DenseMap<int64_t, int64_t> indices; // of the operations, by positions
  for (auto [index, scheduled] : llvm::enumerate(ops)) {
    firsts.push_back(scheduled.first);
    lasts.push_back(scheduled.last);
    for (int64_t at : scheduled.positions)
      indices.try_emplace(at, index);
  }
  llvm::sort(firsts);
  llvm::sort(lasts);
  for (WorkspaceBuffer &buffer : buffers) {
    int64_t first = llvm::lower_bound(lasts, buffer.first) - lasts.begin(),
            last = llvm::upper_bound(firsts, buffer.last) - firsts.begin() - 1;
    SmallVector<int64_t> writers;
    for (int64_t at : buffer.writes)
      if (auto found = indices.find(at); found != indices.end())
        writers.push_back(found->second);
    llvm::sort(writers);
    writers.erase(llvm::unique(writers), writers.end());
    log.add("buffer", buffer.op.getLoc(),
            log.details()
                .set("writers", writers)
                .set("offset", buffer.offset)
                .set("bytes", buffer.size)
                .set("type", TypeAttr::get(buffer.op.getType()))
                .set("first", first)
                .set("last", std::max(first, last)));
  }
}

} // namespace kgen
