// Buffers of a graph share one workspace by their lifetimes.
#include "analysis/SizeBounds.h"
#include "analysis/TaskGrid.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Size.h"
#include "transforms/memory/Passes.h"
#include "transforms/memory/WorkspaceBuffers.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/LoopLikeInterface.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "transforms/memory/Passes.h.inc"

namespace {

/// Bytes of one slot at most, rounded up to a multiple of `alignment`.
int64_t byteSize(memref::AllocOp alloc, int64_t alignment) {
  return llvm::alignTo(std::max<int64_t>(greatestBytesOf(alloc), 1), alignment);
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

/// Returns why a view of the workspace cannot stand for the buffer; empty if it can.
StringRef obstacle(memref::AllocOp alloc, BufferViewFlowAnalysis &flow, int64_t alignment) {
  MemRefType type = alloc.getType();
  if (!greatestSizesOf(alloc) || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat())
    return "of unknown size";
  if (type.getMemorySpace() ||
      alloc.getAlignment().value_or(alignment) > static_cast<uint64_t>(alignment))
    return "aligned to more than its workspace or in another memory";
  if (isInUnknownGrid(alloc))
    return "of each of an unknown number of tasks";
  if (outlivesIteration(alloc, flow))
    return "that is carried from one iteration of its loop to the next";
  return "";
}

/// Multiplies the size of a buffer in a task loop by the number of tasks, which may all run at
/// once.
void assignSlots(WorkspaceBuffer &buffer) {
  buffer.taskLoop = taskLoopOf(buffer.op);
  if (!buffer.taskLoop)
    return;
  buffer.tasks = taskRangeOf(buffer.op, buffer.taskLoop, gridOf(buffer.taskLoop)->tasks());
  buffer.size *= buffer.tasks.end - buffer.tasks.first;
}

/// Adds a use: in the task, what is around it in the block of the allocation.
void addUse(WorkspaceBuffer &buffer, Operation *user, const OperationOrder &order) {
  if (!buffer.taskLoop)
    return;
  Operation *around = buffer.op->getBlock()->findAncestorOpInBlock(*user);
  auto [first, last] = order.rangeWithin(around ? around : buffer.taskLoop.getOperation());
  buffer.firstOfTask = std::min(buffer.firstOfTask, first);
  buffer.lastOfTask = std::max(buffer.lastOfTask, last);
}

/// Adds the uses of what a buffer's numbers are the shape of: its sizes are read where they are
/// used.
void addUsesOfShape(WorkspaceBuffer &buffer, memref::ReshapeOp reshape,
                    BufferViewFlowAnalysis &flow, const OperationOrder &order) {
  for (Value alias : flow.resolve(reshape.getResult()))
    for (Operation *user : alias.getUsers())
      if (auto range = order.rangeOf(user)) {
        buffer.first = std::min(buffer.first, range->first);
        buffer.last = std::max(buffer.last, range->second);
        addUse(buffer, user, order);
      }
}

/// All allocations with their lifetimes; reports one that the workspace cannot hold.
FailureOr<SmallVector<WorkspaceBuffer>> collect(func::FuncOp function, const OperationOrder &order,
                                                int64_t alignment) {
  BufferViewFlowAnalysis flow(function);
  SmallVector<WorkspaceBuffer> buffers;
  WalkResult walk = function.walk([&](memref::AllocOp alloc) {
    if (StringRef reason = obstacle(alloc, flow, alignment); !reason.empty()) {
      alloc.emitError() << "a buffer " << reason << " cannot be placed in the workspace";
      return WalkResult::interrupt();
    }
    int64_t at = order.rangeOf(alloc)->first;
    WorkspaceBuffer buffer{
        alloc, byteSize(alloc, alignment), std::numeric_limits<int64_t>::max(), -1, 0, {}};
    assignSlots(buffer);
    std::tie(buffer.firstOfTask, buffer.lastOfTask) = order.rangeWithin(alloc);
    for (Value alias : flow.resolve(alloc.getResult()))
      for (Operation *user : alias.getUsers())
        // A view is no use: users of the view are found as well.
        if (auto reshape = dyn_cast<memref::ReshapeOp>(user);
            reshape && reshape.getShape() == alias)
          addUsesOfShape(buffer, reshape, flow, order);
        else if (auto range = order.rangeOf(user); range && !isa<ViewLikeOpInterface>(user)) {
          buffer.first = std::min(buffer.first, range->first);
          buffer.last = std::max(buffer.last, range->second);
          addUse(buffer, user, order);
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
int64_t assignOffsets(SmallVectorImpl<WorkspaceBuffer> &buffers) {
  SmallVector<WorkspaceBuffer *> order, assigned; // the latter by offset
  for (WorkspaceBuffer &buffer : buffers)
    if (!buffer.region)
      order.push_back(&buffer);
  llvm::stable_sort(order,
                    [](WorkspaceBuffer *a, WorkspaceBuffer *b) { return a->size > b->size; });
  int64_t total = 0;
  for (WorkspaceBuffer *buffer : order) {
    for (WorkspaceBuffer *other : assigned) {
      if (other->offset >= buffer->offset + buffer->size)
        break;
      if (buffer->livesWith(*other))
        buffer->offset = std::max(buffer->offset, other->offset + other->size);
    }
    auto place =
        llvm::upper_bound(assigned, buffer->offset, [](int64_t offset, WorkspaceBuffer *other) {
          return offset < other->offset;
        });
    assigned.insert(place, buffer);
    total = std::max(total, buffer->offset + buffer->size);
  }
  for (WorkspaceBuffer &buffer : buffers)
    if (buffer.region)
      buffer.offset = buffer.region->offset;
  return total;
}

/// Of `below`, which is in the order of offsets: those that live with `buffer`, or all if it is
/// null, but for what lives with one above it, which begins where it ends or higher.
SmallVector<WorkspaceBuffer *> highest(ArrayRef<WorkspaceBuffer *> below,
                                       const WorkspaceBuffer *buffer) {
  SmallVector<WorkspaceBuffer *> found;
  for (WorkspaceBuffer *each : llvm::reverse(below))
    if ((!buffer || buffer->livesWith(*each)) &&
        llvm::none_of(found, [&](WorkspaceBuffer *above) { return above->livesWith(*each); }))
      found.push_back(each);
  std::reverse(found.begin(), found.end());
  return found;
}

/// Sizes and offsets as functions of the function's sizes. Of two buffers that live at the same
/// time, the one that is above the other at the greatest sizes is so at all sizes. Returns the
/// size of the workspace, likewise.
ByteCount assignForms(SmallVectorImpl<WorkspaceBuffer> &buffers, const WorkspaceSizes &sizes,
                      int64_t total, int64_t alignment) {
  SmallVector<WorkspaceBuffer *> order;
  for (WorkspaceBuffer &buffer : buffers) {
    buffer.slotBytes = buffer.allBytes = sizes.bytesOf(buffer.op, alignment);
    if (buffer.taskLoop) {
      TaskGrid grid = *gridOf(buffer.taskLoop);
      int64_t count = buffer.tasks.end - buffer.tasks.first;
      buffer.allBytes =
          buffer.slotBytes * (grid.isStatic() ? sizes.constant(count) : sizes.tasksOf(grid));
    }
    if (!buffer.region)
      order.push_back(&buffer);
  }
  llvm::stable_sort(order,
                    [](WorkspaceBuffer *a, WorkspaceBuffer *b) { return a->offset < b->offset; });
  ByteCount all{sizes.constant(0)};
  for (auto [number, buffer] : llvm::enumerate(order)) {
    ByteCount offset{sizes.constant(0)};
    for (WorkspaceBuffer *below : highest(ArrayRef(order).take_front(number), buffer))
      for (AffineExpr expression : below->offsetForm)
        sizes.add(offset, expression + below->allBytes);
    buffer->offsetForm = sizes.limited(offset, buffer->offset);
  }
  for (WorkspaceBuffer *buffer : highest(order, nullptr))
    for (AffineExpr expression : buffer->offsetForm)
      sizes.add(all, expression + buffer->allBytes);
  for (WorkspaceBuffer &buffer : buffers)
    if (buffer.region)
      buffer.offsetForm = buffer.region->offsetForm;
  return sizes.limited(all, total);
}

/// Builds the view of the workspace that replaces the buffer: in front of the allocation if it
/// depends on the task or on sizes, else where the builder stands.
Value viewOf(WorkspaceBuffer &buffer, Value workspace, OpBuilder builder,
             const WorkspaceSizes &sizes) {
  Location loc = buffer.op.getLoc();
  Value offset;
  if (buffer.taskLoop || !buffer.op.getDynamicSizes().empty())
    builder.setInsertionPoint(buffer.op);
  if (buffer.taskLoop) {
    TaskGrid grid = *gridOf(buffer.taskLoop);
    int64_t count = buffer.tasks.end - buffer.tasks.first;
    Value slot =
        grid.taskOf(builder, loc, *buffer.taskLoop.getLoopInductionVars(), 1, -buffer.tasks.first);
    // A launch keeps a byte for each slot on the stack and clears it: 256 are four lines. Where
    // only some tasks have the buffer, it has fewer slots than the grid.
    constexpr int64_t maxSlots = 256;
    if (count == grid.tasks() && count <= maxSlots)
      slot = TaskSlotOp::create(builder, loc, builder.getIndexType(), slot);
    OpFoldResult first = sizes.valueOf(builder, loc, buffer.offsetForm),
                 bytes = sizes.valueOf(builder, loc, {buffer.slotBytes});
    AffineExpr slotOffset = builder.getAffineDimExpr(0) * builder.getAffineSymbolExpr(0) +
                            builder.getAffineSymbolExpr(1);
    offset = getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, AffineMap::get(1, 2, slotOffset),
                                              {slot, bytes, first}));
  } else {
    offset = getValueOrCreateConstantIndexOp(builder, loc,
                                             sizes.valueOf(builder, loc, buffer.offsetForm));
  }
  auto type = MemRefType::get(buffer.op.getType().getShape(), buffer.op.getType().getElementType());
  return memref::ViewOp::create(builder, loc, type, workspace, offset, buffer.op.getDynamicSizes());
}

struct PlanWorkspacePass : impl::PlanWorkspacePassBase<PlanWorkspacePass> {
  using PlanWorkspacePassBase::PlanWorkspacePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !function.isPublic())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("lifetimes are known only in a function of one block");
      return signalPassFailure();
    }
    OperationOrder order(function.getBody().front());
    FailureOr<SmallVector<WorkspaceBuffer>> buffers = collect(function, order, alignment);
    if (failed(buffers))
      return signalPassFailure();
    if (!sizeArguments(function).empty()) // the tasks of others have few buffers
      shareSlots(*buffers);
    int64_t total = assignOffsets(*buffers);
    WorkspaceSizes sizes(function);
    AffineMap totalForm = sizes.mapOf(assignForms(*buffers, sizes, total, alignment));
    {
      DecisionLog log(function, getArgument());
      recordBuffers(log, order, *buffers);
      log.add("workspace", function.getLoc(), log.details().set("bytes", total));
    }
    int64_t unshared = 0;
    for (const WorkspaceBuffer &buffer : *buffers)
      unshared += buffer.size;
    numBuffers += buffers->size();
    numBytes += total;
    numBytesShared += unshared - std::min(unshared, total);
    OpBuilder builder(function.getContext());
    bool isStatic = totalForm.isConstant();
    auto type = MemRefType::get({isStatic ? std::max<int64_t>(total, 1) : ShapedType::kDynamic},
                                builder.getI8Type());
    unsigned number = function.getNumArguments();
    if (failed(function.insertArgument(number, type, {}, function.getLoc())))
      return signalPassFailure();
    function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (!isStatic)
      function.setArgAttr(number, shapeAttrName, AffineMapAttr::get(totalForm));
    Block &entry = function.getBody().front();
    builder.setInsertionPointToStart(&entry);
    Value workspace = entry.getArguments().back();
    if (total > 0)
      workspace =
          memref::AssumeAlignmentOp::create(builder, function.getLoc(), workspace, alignment);
    for (WorkspaceBuffer &buffer : *buffers)
      buffer.op.replaceAllUsesWith(viewOf(buffer, workspace, builder, sizes));
    // Not before: the builder stands in front of the first operation, which may be one of them.
    for (WorkspaceBuffer &buffer : *buffers)
      buffer.op.erase();
    function.walk([](memref::DeallocOp dealloc) { dealloc.erase(); });
    function->setAttr("kgen.workspace", builder.getI64IntegerAttr(total));
  }
};

} // namespace
} // namespace kgen
