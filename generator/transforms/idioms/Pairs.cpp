#include "transforms/idioms/Pairs.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

/// Nothing if the last dimension of such a slice has no elements of pairs.
static std::optional<PairSlice> pairSlice(Value source, ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<int64_t> sizes, int64_t lastStride) {
  std::optional<int64_t> offset = getConstantIntValue(offsets.back());
  bool isStrided = lastStride == 2;
  if (!offset || ShapedType::isDynamicShape(sizes) || (!isStrided && sizes.back() != 1))
    return std::nullopt;
  return PairSlice{source, llvm::to_vector(offsets.drop_back()), llvm::to_vector(sizes), *offset,
                   isStrided};
}

std::optional<PairSlice> PairSlice::match(OffsetSizeAndStrideOpInterface slice) {
  ArrayRef<int64_t> strides = slice.getStaticStrides();
  auto extract = dyn_cast<tensor::ExtractSliceOp>(slice.getOperation());
  if (strides.empty() ||
      llvm::any_of(strides.drop_back(), [](int64_t stride) { return stride != 1; }))
    return std::nullopt;
  return pairSlice(extract ? extract.getSource() : Value(), slice.getMixedOffsets(),
                   slice.getStaticSizes(), strides.back());
}

/// The loop, factor and offset of an index `loop * factor + offset`.
static bool isLinear(Value index, unsigned loop, int64_t &factor, int64_t &offset) {
  factor = 1, offset = 0;
  APInt number;
  if (auto sum = index.getDefiningOp<arith::AddIOp>();
      sum && matchPattern(sum.getRhs(), m_ConstantInt(&number))) {
    offset = number.getSExtValue();
    index = sum.getLhs();
  }
  if (auto product = index.getDefiningOp<arith::MulIOp>();
      product && matchPattern(product.getRhs(), m_ConstantInt(&number))) {
    factor = number.getSExtValue();
    index = product.getLhs();
  }
  auto own = index.getDefiningOp<linalg::IndexOp>();
  return own && own.getDim() == loop;
}

std::optional<PairSlice> PairSlice::match(Value value) {
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>())
    return match(cast<OffsetSizeAndStrideOpInterface>(slice.getOperation()));
  auto reads = value.getDefiningOp<linalg::GenericOp>();
  if (!reads || !reads.hasPureTensorSemantics() || reads.getNumResults() != 1 ||
      reads.getNumDpsInputs() != 0 || !reads.getIndexingMapsArray()[0].isIdentity())
    return std::nullopt;
  auto extract = reads.getBody()->getTerminator()->getOperand(0).getDefiningOp<tensor::ExtractOp>();
  if (!extract || extract.getIndices().size() != reads.getNumLoops() || reads.getNumLoops() == 0)
    return std::nullopt;
  Builder b(value.getContext());
  SmallVector<OpFoldResult> offsets;
  int64_t factor = 1, offset = 0;
  for (auto [loop, index] : llvm::enumerate(extract.getIndices())) {
    if (factor != 1 || !isLinear(index, loop, factor, offset)) // one but the last has a stride
      return std::nullopt;
    offsets.push_back(b.getIndexAttr(offset));
  }
  return pairSlice(extract.getTensor(), offsets, reads.getStaticLoopRanges(), factor);
}

bool PairSlice::operator==(const PairSlice &other) const {
  return source == other.source && outer == other.outer && sizes == other.sizes &&
         offset == other.offset && isStrided == other.isStrided;
}

bool PairSlice::isFirstBeside(PairSlice second) const {
  --second.offset;
  return *this == second;
}

SmallVector<int64_t> PairSlice::shape() const {
  SmallVector<int64_t> shape(sizes);
  shape.back() *= 2;
  return shape;
}

SmallVector<OpFoldResult> PairSlice::offsets(Builder &b) const {
  SmallVector<OpFoldResult> list(outer);
  list.push_back(b.getIndexAttr(offset));
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
  auto sliceOf = [](Operation *insert) {
    return PairSlice::match(cast<OffsetSizeAndStrideOpInterface>(insert));
  };
  auto later = dyn_cast<tensor::InsertSliceOp>(op);
  auto earlier = later ? later.getDest().getDefiningOp<tensor::InsertSliceOp>() : nullptr;
  std::optional<PairSlice> a = earlier ? sliceOf(earlier) : std::nullopt,
                           b = earlier ? sliceOf(later) : std::nullopt;
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
