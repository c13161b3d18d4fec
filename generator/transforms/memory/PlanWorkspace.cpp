// Buffers of a graph share one workspace by their lifetimes.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/analysis/TaskGrid.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/LoopLikeInterface.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t alignment = 64; ///< of each buffer in the workspace, in bytes: a cache line

struct Buffer {
  memref::AllocOp op;
  int64_t size;        ///< bytes of all slots together, a multiple of `alignment`
  int64_t first, last; ///< positions of the first and the last use; a task loop is used as a whole
  int64_t offset = 0;  ///< bytes from the beginning of the workspace
  SmallVector<int64_t> writes;            ///< positions of operations that write to it
  LoopLikeOpInterface taskLoop = nullptr; ///< each of `tasks` has a slot
  TaskRange tasks = {0, 1};
  bool livesWith(const Buffer &o) const { return first <= o.last && o.first <= last; }
  bool overlaps(const Buffer &o) const {
    return offset < o.offset + o.size && o.offset < offset + size;
  }
};

/// Bytes of one slot, rounded up to a multiple of `alignment`.
int64_t byteSize(MemRefType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8) * type.getNumElements();
  return llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
}

bool writesTo(Operation *op, Value buffer) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && effects.getEffectOnValue<MemoryEffects::Write>(buffer).has_value();
}

/// True if a buffer that is allocated in a loop is carried into the next iteration, whose own
/// buffer would have the same offset.
bool outlivesIteration(memref::AllocOp alloc, BufferViewFlowAnalysis &flow) {
  auto loop = alloc->getParentOfType<LoopLikeOpInterface>();
  return loop && llvm::any_of(flow.resolve(alloc.getResult()), [&](Value alias) {
           Operation *owner = alias.getParentBlock()->getParentOp();
           return isa<BlockArgument>(alias) ? !loop->isProperAncestor(owner)
                                            : !loop->isProperAncestor(alias.getDefiningOp());
         });
}

/// True if the allocation is in a parallel loop with an unknown number of tasks.
bool isInUnknownGrid(memref::AllocOp alloc) {
  for (Operation *op = alloc->getParentOp(); op; op = op->getParentOp())
    if (isa<scf::ForallOp, scf::ParallelOp>(op) && !gridOf(cast<LoopLikeOpInterface>(op)))
      return true;
  return false;
}

/// Why a view of the workspace cannot stand for the buffer; empty if it can.
StringRef obstacle(memref::AllocOp alloc, BufferViewFlowAnalysis &flow) {
  MemRefType type = alloc.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat())
    return "of unknown size";
  if (type.getMemorySpace() ||
      alloc.getAlignment().value_or(alignment) > static_cast<uint64_t>(alignment))
    return "aligned to more than 64 bytes or in another memory";
  if (isInUnknownGrid(alloc))
    return "of each of an unknown number of tasks";
  if (outlivesIteration(alloc, flow))
    return "that is carried from one iteration of its loop to the next";
  return "";
}

/// Multiplies the size of a buffer in a task loop by the number of tasks, which may all run at
/// once.
void giveSlots(Buffer &buffer) {
  buffer.taskLoop = taskLoopOf(buffer.op);
  if (!buffer.taskLoop)
    return;
  buffer.tasks = taskRangeOf(buffer.op, buffer.taskLoop, gridOf(buffer.taskLoop)->tasks());
  buffer.size *= buffer.tasks.end - buffer.tasks.first;
}

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

/// The order of a function's operations. Positions count the operations of the entry block; loops
/// that become tasks or contain several numbered operations are replaced by the operations of their
/// bodies.
class Order {
public:
  explicit Order(Block &entry) : entry(entry) {
    for (Operation &op : entry) {
      int64_t first = operations.size();
      add(&op);
      ranges[&op] = {first, static_cast<int64_t>(operations.size()) - 1};
    }
    for (auto [index, op] : llvm::enumerate(operations))
      positions[op] = index;
  }

  ArrayRef<Operation *> all() const { return operations; }
  /// The first and the last position of the operation in the entry block around `op`, if any.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(Operation *op) const {
    Operation *top = entry.findAncestorOpInBlock(*op);
    return top ? std::optional(ranges.lookup(top)) : std::nullopt;
  }
  /// The position of `op` or of the operation around it that has one.
  int64_t positionOf(Operation *op) const {
    while (!positions.contains(op))
      op = op->getParentOp();
    return positions.lookup(op);
  }

private:
  void add(Operation *op) {
    if (taskLoopOf(op) != op && !containsNumberedOps(op) && !selectsTaskBody(op)) {
      operations.push_back(op);
      return;
    }
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        add(&inner);
  }

  Block &entry;
  SmallVector<Operation *> operations;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> ranges;
};

/// All allocations of static size with their lifetimes; reports one that the workspace cannot hold.
FailureOr<SmallVector<Buffer>> collect(func::FuncOp function, const Order &order) {
  BufferViewFlowAnalysis flow(function);
  SmallVector<Buffer> buffers;
  WalkResult walk = function.walk([&](memref::AllocOp alloc) {
    if (StringRef reason = obstacle(alloc, flow); !reason.empty()) {
      alloc.emitError() << "a buffer " << reason << " cannot be placed in the workspace";
      return WalkResult::interrupt();
    }
    int64_t at = order.rangeOf(alloc)->first;
    Buffer buffer{alloc, byteSize(alloc.getType()), std::numeric_limits<int64_t>::max(), -1, 0, {}};
    giveSlots(buffer);
    for (Value alias : flow.resolve(alloc.getResult()))
      for (Operation *user : alias.getUsers())
        // A view is no use: users of the view are found as well.
        if (auto range = order.rangeOf(user); range && !isa<ViewLikeOpInterface>(user)) {
          buffer.first = std::min(buffer.first, range->first);
          buffer.last = std::max(buffer.last, range->second);
          if (writesTo(user, alias))
            buffer.writes.push_back(order.positionOf(user));
        }
    buffer.first = std::min(buffer.first, buffer.last < 0 ? at : buffer.first);
    buffer.last = std::max(buffer.last, buffer.first);
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return buffers;
}

/// Assigns offsets, to the largest buffers first, each the lowest that is free during its lifetime.
/// Returns the size of the workspace in bytes.
int64_t assignOffsets(SmallVectorImpl<Buffer> &buffers) {
  SmallVector<Buffer *> order, assigned;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::stable_sort(order, [](Buffer *a, Buffer *b) { return a->size > b->size; });
  int64_t total = 0;
  for (Buffer *buffer : order) {
    auto clash = [&](Buffer *other) {
      return buffer->livesWith(*other) && buffer->overlaps(*other);
    };
    for (auto it = llvm::find_if(assigned, clash); it != assigned.end();
         it = llvm::find_if(assigned, clash))
      buffer->offset = (*it)->offset + (*it)->size;
    assigned.push_back(buffer);
    total = std::max(total, buffer->offset + buffer->size);
  }
  return total;
}

/// An operation that writes to memory, or all of those with one number, in the order of the
/// function.
struct ScheduledOp {
  Operation *op;
  int64_t first, last; ///< positions
  llvm::SmallDenseSet<int64_t> positions;
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

SmallVector<ScheduledOp> scheduledOps(const Order &order) {
  SmallVector<ScheduledOp> ops;
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
    auto same = llvm::find_if(ops, [&](const ScheduledOp &scheduled) {
      return number && opIdOf(scheduled.op->getLoc()) == number;
    });
    if (same == ops.end())
      same = ops.insert(ops.end(), {op, at, at, {}, {}});
    same->last = at;
    same->positions.insert(at);
    if (number)
      addNames(op, *same);
  }
  return ops;
}

/// Records the scheduled operations, and each buffer with its lifetime in indices of them.
void record(DecisionLog &log, const Order &order, MutableArrayRef<Buffer> buffers) {
  if (!log.isOn())
    return;
  SmallVector<ScheduledOp> ops = scheduledOps(order);
  for (ScheduledOp &scheduled : ops) {
    SmallVector<Location> locations{scheduled.op->getLoc()}; // its number comes first
    llvm::append_range(locations, scheduled.names);
    log.add("scheduled", FusedLoc::get(locations, {}, scheduled.op->getContext()),
            log.details().set("operation", scheduled.op->getName().getStringRef()));
  }
  for (Buffer &buffer : buffers) {
    int64_t first =
                llvm::count_if(ops, [&](auto &scheduled) { return scheduled.last < buffer.first; }),
            last = llvm::count_if(ops,
                                  [&](auto &scheduled) { return scheduled.first <= buffer.last; }) -
                   1;
    SmallVector<int64_t> writers;
    for (size_t index = 0; index < ops.size(); ++index)
      if (llvm::any_of(buffer.writes,
                       [&](int64_t at) { return ops[index].positions.contains(at); }))
        writers.push_back(index);
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

/// Builds the view of the workspace that replaces the buffer: in front of the allocation if it
/// depends on the task, else where the builder stands.
Value viewOf(Buffer &buffer, Value workspace, OpBuilder builder) {
  Location loc = buffer.op.getLoc();
  Value offset;
  if (buffer.taskLoop) {
    builder.setInsertionPoint(buffer.op);
    TaskGrid grid = *gridOf(buffer.taskLoop);
    int64_t count = buffer.tasks.end - buffer.tasks.first;
    Value slot =
        grid.taskOf(builder, loc, *buffer.taskLoop.getLoopInductionVars(), 1, -buffer.tasks.first);
    // A launch keeps a byte for each slot on the stack and clears it: 256 are four lines. Where
    // only some tasks have the buffer, it has fewer slots than the grid.
    constexpr int64_t maxSlots = 256;
    if (count == grid.tasks() && count <= maxSlots)
      slot = TaskSlotOp::create(builder, loc, builder.getIndexType(), slot);
    AffineExpr slotOffset = builder.getAffineDimExpr(0) * (buffer.size / count) + buffer.offset;
    offset =
        affine::makeComposedAffineApply(builder, loc, AffineMap::get(1, 0, slotOffset), {slot});
  } else {
    offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
  }
  auto type = MemRefType::get(buffer.op.getType().getShape(), buffer.op.getType().getElementType());
  return memref::ViewOp::create(builder, loc, type, workspace, offset, ValueRange{});
}

struct PlanWorkspacePass : impl::PlanWorkspacePassBase<PlanWorkspacePass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function.isPublic())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("lifetimes are known only in a function of one block");
      return signalPassFailure();
    }
    Order order(function.getBody().front());
    FailureOr<SmallVector<Buffer>> buffers = collect(function, order);
    if (failed(buffers))
      return signalPassFailure();
    int64_t total = assignOffsets(*buffers);
    {
      DecisionLog log(function, getArgument());
      record(log, order, *buffers);
      log.add("workspace", function.getLoc(), log.details().set("bytes", total));
    }
    int64_t unshared = 0;
    for (const Buffer &buffer : *buffers)
      unshared += buffer.size;
    numBuffers += buffers->size();
    numBytes += total;
    numBytesShared += unshared - std::min(unshared, total);
    OpBuilder builder(function.getContext());
    auto type = MemRefType::get({std::max<int64_t>(total, 1)}, builder.getI8Type());
    auto noalias = DictionaryAttr::get(&getContext(),
                                       builder.getNamedAttr("llvm.noalias", builder.getUnitAttr()));
    if (failed(
            function.insertArgument(function.getNumArguments(), type, noalias, function.getLoc())))
      return signalPassFailure();
    Block &entry = function.getBody().front();
    builder.setInsertionPointToStart(&entry);
    Value workspace = entry.getArguments().back();
    if (total > 0)
      workspace =
          memref::AssumeAlignmentOp::create(builder, function.getLoc(), workspace, alignment);
    for (Buffer &buffer : *buffers)
      buffer.op.replaceAllUsesWith(viewOf(buffer, workspace, builder));
    // Not before: the builder stands in front of the first operation, which may be one of them.
    for (Buffer &buffer : *buffers)
      buffer.op.erase();
    function.walk([](memref::DeallocOp dealloc) { dealloc.erase(); });
    function->setAttr("kgen.workspace", builder.getI64IntegerAttr(total));
  }
};

} // namespace
} // namespace kgen
