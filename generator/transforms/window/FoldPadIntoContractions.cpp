// Pads that only contractions read through windows: what they add is never written.
#include "dialect/kgen/TensorSlice.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"
#include "transforms/analysis/WindowShape.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDPADINTOCONTRACTIONSPASS
#include "transforms/Passes.h.inc"

namespace {

using Shape = SmallVector<int64_t>;

/// A tensor with zeros in front of its dimensions and behind them.
struct Padded {
  Shape low, shape, high;

  bool isPadded(size_t dimension) const { return low[dimension] != 0 || high[dimension] != 0; }
  bool isPadded() const {
    return llvm::any_of(llvm::seq(shape.size()), [&](size_t d) { return isPadded(d); });
  }
};

/// What a pad with zeros of known sizes makes.
std::optional<Padded> paddedBy(tensor::PadOp pad) {
  if (!isZeroPad(pad))
    return std::nullopt;
  return Padded{Shape(pad.getStaticLow()), Shape(pad.getSourceType().getShape()),
                Shape(pad.getStaticHigh())};
}

/// Groups of dimensions become one each: only the outermost of a group may be padded.
std::optional<Padded> collapsed(const Padded &from, ArrayRef<ReassociationIndices> groups) {
  Padded result;
  for (const ReassociationIndices &group : groups) {
    int64_t inner = 1;
    for (int64_t dimension : ArrayRef(group).drop_front()) {
      if (from.isPadded(dimension))
        return std::nullopt;
      inner *= from.shape[dimension];
    }
    result.low.push_back(from.low[group.front()] * inner);
    result.shape.push_back(from.shape[group.front()] * inner);
    result.high.push_back(from.high[group.front()] * inner);
  }
  return result;
}

/// Dimensions become groups of them: only those that stay one may be padded.
std::optional<Padded> expanded(const Padded &from, ArrayRef<ReassociationIndices> groups,
                               ArrayRef<int64_t> shape) {
  Padded result;
  for (auto [dimension, group] : llvm::enumerate(groups)) {
    if (group.size() > 1 && from.isPadded(dimension))
      return std::nullopt;
    result.low.append(group.size(), from.low[dimension]);
    result.high.append(group.size(), from.high[dimension]);
    for (int64_t each : group)
      result.shape.push_back(group.size() > 1 ? shape[each] : from.shape[dimension]);
  }
  return result;
}

/// Where the part of a padded tensor from `offset` on begins in the tensor.
int64_t firstOf(int64_t offset, int64_t low) { return std::max<int64_t>(0, offset - low); }

/// A part that has something of the tensor along each dimension.
std::optional<Padded> partOf(const Padded &from, tensor::ExtractSliceOp slice) {
  if (!slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getType().getRank() ||
      llvm::any_of(slice.getStaticOffsets(), ShapedType::isDynamic))
    return std::nullopt;
  Padded result;
  for (auto [low, size, offset, count] :
       llvm::zip(from.low, from.shape, slice.getStaticOffsets(), slice.getType().getShape())) {
    int64_t first = firstOf(offset, low), end = std::min(size, offset + count - low);
    if (first >= end)
      return std::nullopt;
    result.low.push_back(std::max<int64_t>(0, low - offset));
    result.shape.push_back(end - first);
    result.high.push_back(count - result.low.back() - (end - first));
  }
  return result;
}

/// What `user`, which reshapes a padded tensor or takes a part of it, makes of it.
std::optional<Padded> through(Operation *user, const Padded &from) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return partOf(from, slice);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
    return collapsed(from, collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
    return expanded(from, expand.getReassociationIndices(), expand.getResultType().getShape());
  return std::nullopt;
}

/// Whether kernels of the contraction can leave out the padding of A. Tiles are sorted by all their
/// places when code is generated. Panels of one column make dot products, which have all of A.
bool leavesOut(tpp::ContractionOpInterface op, const Padded &a) {
  if (!op.getReductionSizes() || op.getPanel().value_or(1) == 1 || op.getVnni() != 1 ||
      op.getBBlocks() || !op.hasOneType() || !isa<FloatType>(op.getAType()))
    return false;
  constexpr int64_t mostPlaces = 1 << 17;
  if (llvm::any_of(op.getCType().getShape(), [](int64_t size) { return size > mostPlaces; }))
    return false;
  unsigned n = op.getCType().getRank() - 1, k = n + op.getReductionRank();
  for (auto [position, index] : llvm::enumerate(op.getAMap().getResults())) {
    SmallVector<int64_t> steps = *tpp::linearCoefficients(index, k + 1);
    bool isSummedTwice = op.getReductionRank() == 2 && steps[k] != 0 && steps[n + 1] != 0;
    if (a.isPadded(position) && (steps[n] != 0 || isSummedTwice))
      return false;
  }
  return true;
}

/// Whether one use of a padded tensor is A of such a contraction, or on the way to such ones only.
bool leavesOut(OpOperand &use, const Padded &tensor) {
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(use.getOwner()))
    return use.getOperandNumber() == 0 && leavesOut(contraction, tensor);
  std::optional<Padded> next = through(use.getOwner(), tensor);
  return next && llvm::all_of(use.getOwner()->getUses(),
                              [&](OpOperand &further) { return leavesOut(further, *next); });
}

bool isLeftOut(tensor::PadOp pad) {
  std::optional<Padded> padded = paddedBy(pad);
  bool isRead = false; // by contractions
  return padded &&
         llvm::all_of(pad->getUses(),
                      [&](OpOperand &use) {
                        bool isWindow = foldsPadding(use);
                        isRead |= !isWindow;
                        return isWindow || leavesOut(use, *padded);
                      }) &&
         isRead;
}

/// `use` reads `source`, which lacks the padding of `padded`, and a border around it.
void surround(IRRewriter &rewriter, OpOperand &use, Value source, const Padded &padded) {
  Operation *user = use.getOwner();
  rewriter.setInsertionPoint(user);
  Location loc = user->getLoc();
  if (isa<tpp::ContractionOpInterface>(user)) {
    if (padded.isPadded())
      source = tpp::ImplicitPadOp::create(rewriter, loc, source, padded.low, padded.high);
    rewriter.modifyOpInPlace(user, [&] { use.set(source); });
    return;
  }
  Padded next = *through(user, padded);
  auto type = cast<RankedTensorType>(user->getResult(0).getType()).clone(next.shape);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    source =
        tensor::CollapseShapeOp::create(rewriter, loc, source, collapse.getReassociationIndices());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
    source = tensor::ExpandShapeOp::create(rewriter, loc, type, source,
                                           expand.getReassociationIndices());
  } else {
    Shape offsets;
    for (auto [offset, low] :
         llvm::zip(cast<tensor::ExtractSliceOp>(user).getStaticOffsets(), padded.low))
      offsets.push_back(firstOf(offset, low));
    source = extract(rewriter, loc, source, TensorSlice(rewriter, offsets, next.shape));
  }
  for (OpOperand &further : llvm::make_early_inc_range(user->getUses()))
    surround(rewriter, further, source, next);
  rewriter.eraseOp(user);
}

struct FoldPadIntoContractionsPass
    : impl::FoldPadIntoContractionsPassBase<FoldPadIntoContractionsPass> {
  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (isLeftOut(pad))
        pads.push_back(pad);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads) {
      Padded padded = *paddedBy(pad);
      for (OpOperand &use : llvm::make_early_inc_range(pad->getUses()))
        if (!foldsPadding(use))
          surround(rewriter, use, pad.getSource(), padded);
      if (pad.use_empty())
        rewriter.eraseOp(pad);
    }
  }
};

} // namespace
} // namespace kgen
