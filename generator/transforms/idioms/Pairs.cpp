#include "transforms/idioms/Pairs.h"

using namespace mlir;

namespace kgen {

std::optional<PairSlice> PairSlice::of(OffsetSizeAndStrideOpInterface slice) {
  ArrayRef<int64_t> sizes = slice.getStaticSizes(), strides = slice.getStaticStrides();
  if (sizes.empty() || ShapedType::isDynamicShape(sizes) || ShapedType::isDynamic(strides.back()))
    return std::nullopt;
  bool isStrided = strides.back() == 2;
  if (slice.isDynamicOffset(sizes.size() - 1) || (!isStrided && sizes.back() != 1) ||
      llvm::any_of(strides.drop_back(), [](int64_t stride) { return stride != 1; }))
    return std::nullopt;
  return PairSlice{slice, slice.getStaticOffset(sizes.size() - 1), isStrided};
}

bool PairSlice::isFirstBeside(const PairSlice &second) const {
  OffsetSizeAndStrideOpInterface own = slice, other = second.slice; // whose methods are not const
  return second.offset == offset + 1 && isStrided == second.isStrided &&
         own.getStaticSizes() == other.getStaticSizes() &&
         ArrayRef(own.getMixedOffsets()).drop_back() ==
             ArrayRef(other.getMixedOffsets()).drop_back();
}

SmallVector<int64_t> PairSlice::shape() const {
  OffsetSizeAndStrideOpInterface own = slice;
  SmallVector<int64_t> sizes(own.getStaticSizes());
  sizes.back() *= 2;
  return sizes;
}

SmallVector<OpFoldResult> PairSlice::offsets(Builder &b) const {
  OffsetSizeAndStrideOpInterface own = slice;
  SmallVector<OpFoldResult> list = own.getMixedOffsets();
  list.back() = b.getIndexAttr(offset);
  return list;
}

std::optional<PairJoin> pairJoin(Operation *op) {
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    RankedTensorType type = concat.getResultType();
    bool isOfPairs = type.hasStaticShape() && concat.getInputs().size() == 2 &&
                     static_cast<int64_t>(concat.getDim()) + 1 == type.getRank() &&
                     type.getShape().back() == 2 &&
                     concat.getInputs()[0].getType() == concat.getInputs()[1].getType();
    if (!isOfPairs)
      return std::nullopt;
    return PairJoin{concat.getInputs()[0],
                    concat.getInputs()[1],
                    llvm::to_vector(type.getShape()),
                    std::nullopt,
                    {}};
  }
  auto later = dyn_cast<tensor::InsertSliceOp>(op);
  auto earlier = later ? later.getDest().getDefiningOp<tensor::InsertSliceOp>() : nullptr;
  std::optional<PairSlice> a = earlier ? PairSlice::of(earlier) : std::nullopt,
                           b = earlier ? PairSlice::of(later) : std::nullopt;
  if (!a || !b || earlier.getSourceType().getShape() != later.getSourceType().getShape())
    return std::nullopt;
  bool isInOrder = a->isFirstBeside(*b);
  if (!isInOrder && !b->isFirstBeside(*a))
    return std::nullopt;
  PairJoin join{earlier.getSource(), later.getSource(), a->shape(), isInOrder ? *a : *b,
                earlier.getDest()};
  if (!isInOrder)
    std::swap(join.first, join.second);
  if (join.shape == later.getType().getShape())
    join.slice.reset();
  return join;
}

} // namespace kgen
