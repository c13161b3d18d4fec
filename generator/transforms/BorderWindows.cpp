// Pads that only contractions read through windows: what they add is never written.
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/WindowShape.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_BORDERWINDOWSPASS
#include "transforms/Passes.h.inc"

namespace {

/// What is in front of each dimension of a tensor, and behind it.
struct Margins {
  SmallVector<int64_t> low, high;

  bool isPadded(size_t dimension) const { return low[dimension] != 0 || high[dimension] != 0; }
};

/// Those of a pad with zeros of known size.
std::optional<Margins> marginsOf(tensor::PadOp pad) {
  Value number = pad.getConstantPaddingValue();
  auto isKnown = [](ArrayRef<int64_t> list) {
    return llvm::none_of(list, [](int64_t size) { return size < 0; }); // dynamic ones are, too
  };
  if (!number || !matchPattern(number, m_PosZeroFloat()) ||
      !pad.getSourceType().hasStaticShape() || !isKnown(pad.getStaticLow()) ||
      !isKnown(pad.getStaticHigh()))
    return std::nullopt;
  return Margins{SmallVector<int64_t>(pad.getStaticLow()),
                 SmallVector<int64_t>(pad.getStaticHigh())};
}

/// The margins if groups of dimensions of `shape` become one each: only the outermost of a group
/// may have any.
std::optional<Margins> collapsed(const Margins &margins, ArrayRef<int64_t> shape,
                                 ArrayRef<ReassociationIndices> groups) {
  Margins result;
  for (const ReassociationIndices &group : groups) {
    int64_t inner = 1;
    for (int64_t dimension : ArrayRef(group).drop_front()) {
      if (margins.isPadded(dimension))
        return std::nullopt;
      inner *= shape[dimension];
    }
    result.low.push_back(margins.low[group.front()] * inner);
    result.high.push_back(margins.high[group.front()] * inner);
  }
  return result;
}

/// The margins if dimensions become groups of them: only those that stay one may have any.
std::optional<Margins> expanded(const Margins &margins, ArrayRef<ReassociationIndices> groups) {
  Margins result;
  for (auto [dimension, group] : llvm::enumerate(groups)) {
    if (group.size() > 1 && margins.isPadded(dimension))
      return std::nullopt;
    result.low.append(group.size(), margins.low[dimension]);
    result.high.append(group.size(), margins.high[dimension]);
  }
  return result;
}

/// Whether kernels of the contraction can leave out parts of A, which has `margins` as far as it is
/// whole.
bool leavesOut(tpp::ContractionOpInterface op, const Margins &margins) {
  if (!op.getReduced() || !op.getPanel() || op.getVnni() != 1 || op.getBBlocks() ||
      !op.hasOneType() || !isa<FloatType>(op.getAType()))
    return false;
  unsigned n = op.getCType().getRank() - 1, k = n + op.getReductionRank();
  for (auto [position, index] : llvm::enumerate(op.getAMap().getResults())) {
    SmallVector<int64_t> steps = *tpp::stepsOf(index, k + 1);
    bool isSummedTwice = op.getReductionRank() == 2 && steps[k] != 0 && steps[n + 1] != 0;
    if (margins.isPadded(position) && (steps[n] != 0 || isSummedTwice))
      return false;
  }
  return true;
}

/// One use of a padded tensor: a contraction, or a part of the tensor or a reshape that only
/// contractions read.
bool leavesOut(OpOperand &use, const Margins &margins) {
  Operation *user = use.getOwner();
  auto byAllUses = [&](const std::optional<Margins> &further) {
    return further && llvm::all_of(user->getUses(), [&](OpOperand &next) {
             return leavesOut(next, *further);
           });
  };
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(user))
    return use.getOperandNumber() == 0 && leavesOut(contraction, margins);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return slice.hasUnitStride() &&
           slice.getSourceType().getRank() == slice.getType().getRank() && byAllUses(margins);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
    return byAllUses(collapsed(margins, collapse.getSrcType().getShape(),
                               collapse.getReassociationIndices()));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
    return byAllUses(expanded(margins, expand.getReassociationIndices()));
  return false;
}

bool isLeftOut(tensor::PadOp pad) {
  std::optional<Margins> margins = marginsOf(pad);
  bool isRead = false;
  return margins && !pad.use_empty() && llvm::all_of(pad->getUses(), [&](OpOperand &use) {
           isRead |= !isa<linalg::GenericOp>(use.getOwner());
           return isLeftOutByWindow(use) || leavesOut(use, *margins);
         }) && isRead;
}

/// `use` reads `source` with `margins` in place of the pad.
void surround(IRRewriter &rewriter, OpOperand &use, Value source, const Margins &margins) {
  Operation *user = use.getOwner();
  rewriter.setInsertionPoint(user);
  Location loc = user->getLoc();
  auto border = [&](Value whole, const Margins &around) -> Value {
    return tpp::BorderOp::create(rewriter, loc, whole, around.low, around.high);
  };
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    auto groups = collapse.getReassociationIndices();
    Value whole = tensor::CollapseShapeOp::create(rewriter, loc, source, groups);
    rewriter.replaceOp(
        collapse, border(whole, *collapsed(margins, collapse.getSrcType().getShape(), groups)));
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
    auto groups = expand.getReassociationIndices();
    Margins around = *expanded(margins, groups);
    SmallVector<int64_t> shape(expand.getResultType().getShape());
    for (auto [size, low, high] : llvm::zip(shape, around.low, around.high))
      size -= low + high;
    Value whole = tensor::ExpandShapeOp::create(
        rewriter, loc, expand.getResultType().clone(shape), source, groups);
    rewriter.replaceOp(expand, border(whole, around));
  } else {
    Value whole = border(source, margins);
    rewriter.modifyOpInPlace(user, [&] { use.set(whole); });
  }
}

struct BorderWindowsPass : impl::BorderWindowsPassBase<BorderWindowsPass> {
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (isLeftOut(pad))
        pads.push_back(pad);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads) {
      Margins margins = *marginsOf(pad);
      for (OpOperand &use : llvm::make_early_inc_range(pad->getUses()))
        if (!isLeftOutByWindow(use))
          surround(rewriter, use, pad.getSource(), margins);
      if (pad.use_empty())
        rewriter.eraseOp(pad);
    }
  }
};

} // namespace
} // namespace kgen
