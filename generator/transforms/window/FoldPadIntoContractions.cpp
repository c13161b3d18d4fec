// Folds pads with zeros into contractions that read them through windows: the padding becomes
// implicit.
#include "analysis/WindowShape.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TensorSlice.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/window/Passes.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDPADINTOCONTRACTIONSPASS
#include "transforms/window/Passes.h.inc"

namespace {

using Shape = SmallVector<int64_t>;

/// The shape of a tensor, and the zeros before and after it along each dimension. Dimensions that
/// are padded have static sizes.
struct PaddedShape {
  Shape low, shape, high;

  bool isPadded(size_t dimension) const { return low[dimension] != 0 || high[dimension] != 0; }
  bool isPadded() const {
    return llvm::any_of(llvm::seq(shape.size()), [&](size_t d) { return isPadded(d); });
  }
};

/// The padded shape of the result of `pad`; nothing unless it pads static sizes with zeros.
std::optional<PaddedShape> paddedBy(tensor::PadOp pad) {
  if (!isZeroPad(pad))
    return std::nullopt;
  return PaddedShape{Shape(pad.getStaticLow()), Shape(pad.getSourceType().getShape()),
                     Shape(pad.getStaticHigh())};
}

/// The product of sizes; dynamic if one of them is.
int64_t product(int64_t size, int64_t other) {
  bool isDynamic = ShapedType::isDynamic(size) || ShapedType::isDynamic(other);
  return isDynamic ? ShapedType::kDynamic : size * other;
}

/// Collapses groups of dimensions. Nothing if another dimension of a group than its outermost is
/// padded, or by an amount that is not known.
std::optional<PaddedShape> collapsed(const PaddedShape &from,
                                     ArrayRef<ReassociationIndices> groups) {
  PaddedShape result;
  for (const ReassociationIndices &group : groups) {
    int64_t inner = 1;
    for (int64_t dimension : ArrayRef(group).drop_front()) {
      if (from.isPadded(dimension))
        return std::nullopt;
      inner = product(inner, from.shape[dimension]);
    }
    if (ShapedType::isDynamic(inner) && from.isPadded(group.front()))
      return std::nullopt;
    bool isPadded = from.isPadded(group.front());
    result.low.push_back(isPadded ? from.low[group.front()] * inner : 0);
    result.shape.push_back(product(from.shape[group.front()], inner));
    result.high.push_back(isPadded ? from.high[group.front()] * inner : 0);
  }
  return result;
}

/// Expands dimensions into groups. Nothing if a dimension that becomes several is padded.
std::optional<PaddedShape> expanded(const PaddedShape &from, ArrayRef<ReassociationIndices> groups,
                                    ArrayRef<int64_t> shape) {
  PaddedShape result;
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

/// The offset in the unpadded tensor of a slice at `offset` of the padded tensor.
int64_t unpaddedOffset(int64_t offset, int64_t low) { return std::max<int64_t>(0, offset - low); }

/// The padded shape of a slice. Nothing if it has only padding along a dimension, or if its offset
/// or size along a padded one is not known.
std::optional<PaddedShape> sliced(const PaddedShape &from, tensor::ExtractSliceOp slice) {
  if (!slice.hasUnitStride() || slice.getSourceType().getRank() != slice.getType().getRank())
    return std::nullopt;
  PaddedShape result;
  for (auto [position, offset, count] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getType().getShape())) {
    int64_t low = from.low[position], size = from.shape[position];
    if (!from.isPadded(position)) {
      result.low.push_back(0);
      result.shape.push_back(count);
      result.high.push_back(0);
      continue;
    }
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(count))
      return std::nullopt;
    int64_t first = unpaddedOffset(offset, low), end = std::min(size, offset + count - low);
    if (first >= end)
      return std::nullopt;
    result.low.push_back(std::max<int64_t>(0, low - offset));
    result.shape.push_back(end - first);
    result.high.push_back(count - result.low.back() - (end - first));
  }
  return result;
}

/// The padded shape of the result of `user`, a reshape or a slice of a padded tensor; nothing for
/// other operations.
std::optional<PaddedShape> throughView(Operation *user, const PaddedShape &from) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
    return sliced(from, slice);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
    return collapsed(from, collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
    return expanded(from, expand.getReassociationIndices(), expand.getResultType().getShape());
  return std::nullopt;
}

/// True if kernels of the contraction can skip the padding of A: those that read it element by
/// element, and micro-kernels, but for dot products (panels of one column), which read all of A.
bool foldsIntoA(tpp::ContractionOpInterface op, const PaddedShape &a, bool byElement) {
  if (byElement)
    return isa<FloatType>(op.getAType()) && !op.getPanel() && op.getVnni() == 1;
  if (!op.getReductionSizes() || op.getPanel().value_or(1) == 1 || op.getVnni() != 1 ||
      op.getBQuant() || !op.hasOneType() || !isa<FloatType>(op.getAType()))
    return false;
  // The generator enumerates the positions of tiles to sort them by their valid range.
  constexpr int64_t maxPositions = 1 << 17;
  if (llvm::any_of(op.getCType().getShape(), [](int64_t size) { return size > maxPositions; }))
    return false;
  unsigned n = op.getCType().getRank() - 1, k = n + op.getReductionRank();
  for (auto [position, index] : llvm::enumerate(op.getAMap().getResults())) {
    SmallVector<int64_t> coefficients = *tpp::linearCoefficients(index, k + 1);
    bool isInBothReductions =
        op.getReductionRank() == 2 && coefficients[k] != 0 && coefficients[n + 1] != 0;
    if (a.isPadded(position) && (coefficients[n] != 0 || isInBothReductions))
      return false;
  }
  return true;
}

/// True if a use of a padded tensor is A of such a contraction, or a view that only such uses read.
bool foldsIntoContractions(OpOperand &use, const PaddedShape &tensor, bool byElement) {
  if (auto contraction = dyn_cast<tpp::ContractionOpInterface>(use.getOwner()))
    return use.getOperandNumber() == 0 && foldsIntoA(contraction, tensor, byElement);
  std::optional<PaddedShape> next = throughView(use.getOwner(), tensor);
  return next && llvm::all_of(use.getOwner()->getUses(), [&](OpOperand &further) {
           return foldsIntoContractions(further, *next, byElement);
         });
}

/// True if all uses of `pad` can do with implicit padding, and a contraction is among them.
bool isFoldable(tensor::PadOp pad, bool byElement) {
  std::optional<PaddedShape> padded = paddedBy(pad);
  bool isRead = false; // by contractions
  return padded &&
         llvm::all_of(pad->getUses(),
                      [&](OpOperand &use) {
                        bool isWindow = foldsPadding(use);
                        isRead |= !isWindow;
                        return isWindow || foldsIntoContractions(use, *padded, byElement);
                      }) &&
         isRead;
}

/// True if a contraction reads `value`, directly or through reshapes and slices.
bool isReadByContraction(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    bool isView = isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user);
    return isa<tpp::ContractionOpInterface>(user) ||
           (isView && isReadByContraction(user->getResult(0)));
  });
}

/// The static sizes of `shape`, and where it has none, those of the padded tensor.
SmallVector<OpFoldResult> unpaddedSizes(Builder &b, ArrayRef<int64_t> shape,
                                        SmallVector<OpFoldResult> padded) {
  for (auto [size, own] : llvm::zip_equal(padded, shape))
    if (!ShapedType::isDynamic(own))
      size = b.getIndexAttr(own);
  return padded;
}

/// Lets `use` read `source`, the tensor without the padding of `padded`: contractions through
/// tpp.implicit_pad, views by a view of `source`.
void readUnpadded(IRRewriter &rewriter, OpOperand &use, Value source, const PaddedShape &padded) {
  Operation *user = use.getOwner();
  rewriter.setInsertionPoint(user);
  Location loc = user->getLoc();
  if (isa<tpp::ContractionOpInterface>(user)) {
    if (padded.isPadded())
      source = tpp::ImplicitPadOp::create(rewriter, loc, source, padded.low, padded.high);
    rewriter.modifyOpInPlace(user, [&] { use.set(source); });
    return;
  }
  PaddedShape next = *throughView(user, padded);
  auto type = cast<RankedTensorType>(user->getResult(0).getType()).clone(next.shape);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
    source =
        tensor::CollapseShapeOp::create(rewriter, loc, source, collapse.getReassociationIndices());
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
    source = tensor::ExpandShapeOp::create(
        rewriter, loc, type, source, expand.getReassociationIndices(),
        unpaddedSizes(rewriter, next.shape,
                      getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(),
                                     rewriter.getContext())));
  } else {
    auto slice = cast<tensor::ExtractSliceOp>(user);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    for (auto [position, offset] : llvm::enumerate(offsets))
      if (padded.isPadded(position))
        offset = rewriter.getIndexAttr(
            unpaddedOffset(*getConstantIntValue(offset), padded.low[position]));
    SmallVector<OpFoldResult> sizes = unpaddedSizes(rewriter, next.shape, slice.getMixedSizes());
    source = extract(rewriter, loc, source, TensorSlice(offsets, sizes));
  }
  for (OpOperand &further : llvm::make_early_inc_range(user->getUses()))
    readUnpadded(rewriter, further, source, next);
  rewriter.eraseOp(user);
}

struct FoldPadIntoContractionsPass
    : impl::FoldPadIntoContractionsPassBase<FoldPadIntoContractionsPass> {
  using FoldPadIntoContractionsPassBase::FoldPadIntoContractionsPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (isFoldable(pad, byElement)) {
        ++numFolded;
        log.add("applied", pad.getLoc(),
                log.details().set("what", "padding is implicit in contractions, not in memory"));
        pads.push_back(pad);
      } else if (isReadByContraction(pad)) {
        ++numRefused;
        log.add("refused", pad.getLoc(),
                log.details().set("why", "a use of the pad needs the padding in memory"));
      }
    });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads) {
      PaddedShape padded = *paddedBy(pad);
      for (OpOperand &use : llvm::make_early_inc_range(pad->getUses()))
        if (!foldsPadding(use))
          readUnpadded(rewriter, use, pad.getSource(), padded);
      if (pad.use_empty())
        rewriter.eraseOp(pad);
    }
  }
};

} // namespace
} // namespace kgen
