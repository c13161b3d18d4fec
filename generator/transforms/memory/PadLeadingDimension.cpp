// Buffers whose rows would share few sets of the first cache get longer rows.
#include "dialect/kgen/TypeSizes.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/analysis/ViewSource.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PADLEADINGDIMENSIONPASS
#include "transforms/Passes.h.inc"

namespace {

/// What lies between rows of A that a register tile reads side by side, in bytes; nothing if A is
/// not read along its rows.
std::optional<int64_t> distanceOfRows(tpp::ContractionOpInterface op) {
  auto type = cast<MemRefType>(op.getA().getType());
  SmallVector<int64_t> strides;
  int64_t offset, distance = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  AffineMap map = op.getAMap();
  for (auto [index, stride] : llvm::zip(map.getResults(), strides)) {
    auto steps = tpp::linearCoefficients(index, map.getNumDims());
    if (!steps)
      return std::nullopt;
    distance += stride * (*steps)[op.getBatchRank()];
  }
  return distance * bytesOfElement(type);
}

/// Whether the rows of a register tile drive each other and B out of the first cache.
bool isCrowded(tpp::ContractionOpInterface op, TargetAttr target) {
  std::optional<int64_t> distance = distanceOfRows(op);
  GemmBlocking blocking = tpp::blockingOf(op, target);
  return distance && *distance != 0 && !blocking.usesAmx && op.getPanel() &&
         hasSetConflicts(target, blocking.mr, *distance);
}

/// Whether rows of what the view shows are (parts of) rows of its operand.
bool keepsRows(Operation *view) {
  auto isLastAlone = [](ArrayRef<ReassociationIndices> groups) {
    return !groups.empty() && groups.back().size() == 1;
  };
  return TypeSwitch<Operation *, bool>(view)
      .Case([](memref::SubViewOp op) {
        return op.getType().getRank() == op.getSourceType().getRank();
      })
      .Case<memref::CollapseShapeOp, memref::ExpandShapeOp>(
          [&](auto op) { return isLastAlone(op.getReassociationIndices()); })
      .Default(false);
}

/// A buffer and its views.
class Rows {
public:
  explicit Rows(TargetAttr target) : target(target) {}

  /// Whether all that uses `buffer` can do with longer rows.
  bool mayBeLonger(Value buffer) {
    return llvm::all_of(buffer.getUses(), [&](OpOperand &use) { return allows(use); });
  }
  /// Whether some contraction that reads it is faster then.
  bool isWorthIt = false;

private:
  bool allows(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isViewLike(user))
      return keepsRows(user) && mayBeLonger(user->getResult(0));
    if (auto op = dyn_cast<tpp::ContractionOpInterface>(user)) {
      isWorthIt |= use.getOperandNumber() == 0 && isCrowded(op, target);
      return use.getOperandNumber() != 1;
    }
    return isa<vector::TransferReadOp, vector::TransferWriteOp, memref::LoadOp, memref::StoreOp,
               memref::CopyOp, linalg::GenericOp, linalg::FillOp>(user);
  }

  TargetAttr target;
};

/// Uses `now` instead of `before`, with views of it.
void replace(OpBuilder &b, Value before, Value now) {
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
    replace(b, user->getResult(0), view);
    user->erase();
  }
}

/// The same elements in a buffer whose rows are longer, up to a line's end or by a line.
void makeLonger(OpBuilder &b, memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  int64_t line = lineBytes / bytesOfElement(type);
  shape.back() =
      static_cast<int64_t>(llvm::alignTo(shape.back() + (shape.back() % line == 0), line));
  b.setInsertionPoint(alloc);
  auto longer = memref::AllocOp::create(
      b, alloc.getLoc(), MemRefType::get(shape, type.getElementType()), alloc.getAlignmentAttr());
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1));
  Value begin =
      memref::SubViewOp::create(b, alloc.getLoc(), longer, zeros,
                                getAsIndexOpFoldResult(b.getContext(), type.getShape()), ones);
  replace(b, alloc, begin);
  alloc.erase();
}

struct PadLeadingDimensionPass : impl::PadLeadingDimensionPassBase<PadLeadingDimensionPass> {
  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    if (!target) // plain loops, for any CPU
      return;
    SmallVector<memref::AllocOp> allocs;
    getOperation().walk([&](memref::AllocOp alloc) {
      MemRefType type = alloc.getType();
      Rows rows(target);
      if (type.hasStaticShape() && type.getRank() >= 2 && type.getLayout().isIdentity() &&
          type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() >= 8 &&
          rows.mayBeLonger(alloc) && rows.isWorthIt)
        allocs.push_back(alloc);
    });
    OpBuilder b(&getContext());
    for (memref::AllocOp alloc : allocs)
      makeLonger(b, alloc);
  }
};

} // namespace
} // namespace kgen
