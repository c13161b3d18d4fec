// Copies for a loop's next iteration run while the current one computes: their buffers are doubled,
// and the loop is software-pipelined.
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Schedule.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/MemRef/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/Patterns.h>
#include <mlir/Dialect/SCF/Transforms/Transforms.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include <llvm/ADT/SetVector.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MULTIBUFFERCOPIESPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

int64_t buffersOf(scf::ForOp loop) {
  auto buffers = loop ? loop->getAttrOfType<IntegerAttr>(buffersAttrName) : IntegerAttr();
  return buffers ? buffers.getInt() : 1;
}

Operation *allocationOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value.getDefiningOp();
}

/// The innermost loop around all uses of the buffer.
scf::ForOp loopOfUses(memref::AllocOp alloc) {
  scf::ForOp common;
  for (Operation *user : alloc->getUsers()) {
    scf::ForOp loop = user->getParentOfType<scf::ForOp>();
    while (loop && common && !loop->isAncestor(common) && !common->isAncestor(loop))
      loop = loop->getParentOfType<scf::ForOp>();
    if (!loop)
      return {};
    if (!common || loop->isAncestor(common))
      common = loop;
  }
  return common;
}

/// The type that the view has of a source of another layout; its own if it cannot be told.
MemRefType typeOfView(Operation *view, MemRefType source) {
  auto type = cast<MemRefType>(view->getResult(0).getType());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view))
    return memref::ExpandShapeOp::computeExpandedType(source, type.getShape(),
                                                      expand.getReassociationIndices())
        .value_or(type);
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view))
    return memref::CollapseShapeOp::computeCollapsedType(source,
                                                         collapse.getReassociationIndices());
  if (auto part = dyn_cast<memref::SubViewOp>(view))
    return memref::SubViewOp::inferRankReducedResultType(
        type.getShape(), source, part.getMixedOffsets(), part.getMixedSizes(),
        part.getMixedStrides());
  return type;
}

/// Views of a buffer that has become a part of a larger one, which has an offset. Upstream's
/// multiBuffer knows its own only.
void updateViews(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    if (!view || view.getViewSource() != buffer)
      continue;
    MemRefType type = typeOfView(user, cast<MemRefType>(buffer.getType()));
    if (type != user->getResult(0).getType()) {
      user->getResult(0).setType(type);
      updateViews(user->getResult(0));
    }
  }
}

class CopyPipeline {
public:
  CopyPipeline(scf::ForOp loop, const llvm::SmallDenseSet<Operation *> &buffers)
      : loop(loop), buffers(buffers) {}

  /// Operations of the first stage: the copies, and what computes their operands.
  bool collect() {
    for (Operation &op : loop.getBody()->without_terminator())
      op.walk([&](linalg::LinalgOp inner) {
        bool isOfLoop = inner->getParentOp() == loop || isa<scf::IfOp>(inner->getParentOp());
        if (isOfLoop && buffers.contains(allocationOf(inner.getDpsInits()[0])))
          copies.insert(&op);
      });
    bool isFound = !copies.empty();
    for (size_t i = 0; i < copies.size(); ++i)
      copies[i]->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == loop.getBody())
            copies.insert(def);
      });
    return isFound;
  }

  bool run(IRRewriter &rewriter) {
    scf::PipeliningOption option;
    option.supportDynamicLoops = false;
    option.getScheduleFn = [&](scf::ForOp pipelined,
                               std::vector<std::pair<Operation *, unsigned>> &schedule) {
      for (unsigned stage : {0, 1})
        for (Operation &op : pipelined.getBody()->without_terminator())
          if (copies.contains(&op) == (stage == 0))
            schedule.push_back({&op, stage});
    };
    // Without an insertion point, prologue and loop are inserted nowhere.
    rewriter.setInsertionPoint(loop);
    bool changed = false;
    return succeeded(scf::pipelineForLoop(rewriter, loop, option, &changed)) && changed;
  }

private:
  scf::ForOp loop;
  const llvm::SmallDenseSet<Operation *> &buffers;
  llvm::SetVector<Operation *> copies;
};

struct MultibufferCopiesPass : impl::MultibufferCopiesPassBase<MultibufferCopiesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::AllocOp> allocs;
    getOperation()->walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    llvm::DenseMap<Operation *, llvm::SmallDenseSet<Operation *>> doubled; // by loop
    for (memref::AllocOp alloc : allocs) {
      scf::ForOp loop = loopOfUses(alloc);
      int64_t count = buffersOf(loop);
      if (count < 2 || loop->isAncestor(alloc))
        continue;
      FailureOr<memref::AllocOp> copies =
          memref::multiBuffer(rewriter, alloc, count, /*skipOverrideAnalysis=*/true);
      if (failed(copies))
        continue; // carried from iteration to iteration
      for (Operation *user : (*copies)->getUsers())
        if (auto part = dyn_cast<memref::SubViewOp>(user)) // that of an iteration
          updateViews(part);
      doubled[loop].insert(*copies);
      ++numBuffers;
    }
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation()->walk([&](scf::ForOp loop) {
      if (buffersOf(loop) > 1)
        loops.push_back(loop);
    });
    DecisionLog log(getOperation(), getArgument());
    for (scf::ForOp loop : loops) {
      CopyPipeline pipeline(loop, doubled[loop]);
      Location loc = loop.getLoc();
      loop->removeAttr(buffersAttrName);
      bool isPipelined = pipeline.collect() && pipeline.run(rewriter);
      ++(isPipelined ? numPipelined : numRefused);
      if (!isPipelined)
        traceRefusal(loc, "no copies that could run beside the work");
      log.add(isPipelined ? "applied" : "refused", loc,
              log.details().set("what", isPipelined
                                            ? "copies of the next iteration run beside the work"
                                            : "no copies that could run beside the work"));
    }
  }
};

} // namespace
} // namespace kgen
