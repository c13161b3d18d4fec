// Pads the leading dimension of buffers whose uses would cause conflict misses in the first-level
// cache.
#include "analysis/SizeBounds.h"
#include "analysis/ViewSource.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/memory/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PADLEADINGDIMENSIONPASS
#include "transforms/memory/Passes.h.inc"

namespace {

/// Bytes from a row of A to the next one that a register tile reads beside it; nothing if that is
/// not known.
std::optional<int64_t> rowPitch(tpp::ContractionOpInterface op) {
  auto type = cast<MemRefType>(op.getA().getType());
  SmallVector<int64_t> strides;
  int64_t offset, pitch = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  AffineMap map = op.getAMap();
  for (auto [index, stride] : llvm::zip(map.getResults(), strides)) {
    auto coefficients = tpp::linearCoefficients(index, map.getNumDims());
    if (!coefficients)
      return std::nullopt;
    pitch += stride * (*coefficients)[op.getBatchRank()];
  }
  return pitch * bytesOfElement(type);
}

/// True if the rows of a register tile evict each other and B from the first-level cache.
bool hasConflictMisses(tpp::ContractionOpInterface op, TargetAttr target) {
  std::optional<int64_t> pitch = rowPitch(op);
  GemmBlocking blocking = tpp::blockingOf(op, target, greatestRowsOf(op));
  return pitch && *pitch != 0 && !blocking.usesTiles && op.getPanel() &&
         hasSetConflicts(target.cpu(), blocking.mr, *pitch);
}

/// True if the distance of the elements of a collapsed group is a number where that of rows is:
/// upstream's type has none where the innermost size is open, which may be 1.
bool hasKnownStride(ArrayRef<int64_t> group, ArrayRef<int64_t> shape) {
  while (group.size() > 1 && shape[group.back()] == 1)
    group = group.drop_back();
  return group.size() == 1 || !ShapedType::isDynamic(shape[group.back()]);
}

/// True if rows of the view are rows of its operand, or slices of them.
bool keepsRows(Operation *view) {
  auto isLastAlone = [](ArrayRef<ReassociationIndices> groups) {
    return !groups.empty() && groups.back().size() == 1;
  };
  return TypeSwitch<Operation *, bool>(view)
      .Case([](memref::SubViewOp op) {
        return op.getType().getRank() == op.getSourceType().getRank();
      })
      .Case([&](memref::CollapseShapeOp op) {
        ArrayRef<int64_t> shape = op.getSrcType().getShape();
        return isLastAlone(op.getReassociationIndices()) &&
               llvm::all_of(op.getReassociationIndices(),
                            [&](ArrayRef<int64_t> group) { return hasKnownStride(group, shape); });
      })
      .Case([&](memref::ExpandShapeOp op) { return isLastAlone(op.getReassociationIndices()); })
      .Default(false);
}

/// Collects what the uses of a buffer and of its views permit about longer rows.
class PaddingUses {
public:
  explicit PaddingUses(TargetAttr target) : target(target) {}

  /// True if all users of `buffer` and its views work with longer rows.
  bool mayBePadded(Value buffer) {
    return llvm::all_of(buffer.getUses(), [&](OpOperand &use) { return allowsPadding(use); });
  }
  /// True if some contraction that reads the buffer is faster then. Set by mayBePadded.
  bool isProfitable = false;

private:
  bool allowsPadding(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isViewLike(user))
      return keepsRows(user) && mayBePadded(user->getResult(0));
    if (auto op = dyn_cast<tpp::ContractionOpInterface>(user)) {
      isProfitable |= use.getOperandNumber() == 0 && hasConflictMisses(op, target);
      return use.getOperandNumber() != 1;
    }
    return isa<vector::TransferReadOp, vector::TransferWriteOp, memref::LoadOp, memref::StoreOp,
               memref::CopyOp, linalg::GenericOp, linalg::FillOp>(user);
  }

  TargetAttr target;
};

/// Replaces `before` by `now`, and views of the one by views of the other.
void replaceWithViews(OpBuilder &b, Value before, Value now) {
  for (OpOperand &use : llvm::make_early_inc_range(before.getUses())) {
    Operation *user = use.getOwner();
    b.setInsertionPoint(user);
    auto type = cast<MemRefType>(now.getType());
    Value view;
    if (auto op = dyn_cast<memref::SubViewOp>(user))
      view = memref::SubViewOp::create(b, op.getLoc(), now, op.getMixedOffsets(),
                                       op.getMixedSizes(), op.getMixedStrides());
    else if (auto op = dyn_cast<memref::CollapseShapeOp>(user))
      view = memref::CollapseShapeOp::create(b, op.getLoc(), now, op.getReassociationIndices());
    else if (auto op = dyn_cast<memref::ExpandShapeOp>(user)) {
      auto expanded = memref::ExpandShapeOp::computeExpandedType(type, op.getType().getShape(),
                                                                 op.getReassociationIndices());
      view = memref::ExpandShapeOp::create(b, op.getLoc(), *expanded, now,
                                           op.getReassociationIndices());
    }
    if (!view) {
      use.set(now);
      continue;
    }
    replaceWithViews(b, user->getResult(0), view);
    user->erase();
  }
}

/// Replaces the buffer by one whose rows end with a line; rows that do already get one line more.
void padRows(OpBuilder &b, memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  int64_t line = cpuOf(alloc).lineBytes / bytesOfElement(type);
  shape.back() =
      static_cast<int64_t>(llvm::alignTo(shape.back() + (shape.back() % line == 0), line));
  b.setInsertionPoint(alloc);
  auto padded =
      memref::AllocOp::create(b, alloc.getLoc(), MemRefType::get(shape, type.getElementType()),
                              alloc.getDynamicSizes(), alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1));
  Value begin =
      memref::SubViewOp::create(b, alloc.getLoc(), padded, zeros, alloc.getMixedSizes(), ones);
  replaceWithViews(b, alloc, begin);
  alloc.erase();
}

struct PadLeadingDimensionPass : impl::PadLeadingDimensionPassBase<PadLeadingDimensionPass> {
  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    if (!target) // plain loops, for any CPU
      return;
    DecisionLog log(getOperation(), getArgument());
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      PaddingUses uses(target);
      if (type.getRank() >= 2 && !type.isDynamicDim(type.getRank() - 1) &&
          type.getLayout().isIdentity() && type.getElementType().isIntOrFloat() &&
          type.getElementTypeBitWidth() >= 8) {
        bool mayBePadded = uses.mayBePadded(alloc);
        if (!uses.isProfitable)
          return;
        log.add(mayBePadded ? "padded" : "refused", alloc.getLoc(),
                log.details().set("bytes", greatestBytesOf(alloc)));
        if (mayBePadded)
          allocs.push_back(alloc);
        else
          ++numRefused;
      }
    });
    OpBuilder b(&getContext());
    numPadded += allocs.size();
    for (memref::AllocOp alloc : allocs)
      padRows(b, alloc);
  }
};

} // namespace
} // namespace kgen
