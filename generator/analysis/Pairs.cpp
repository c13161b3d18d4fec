#include "analysis/Pairs.h"

#include "dialect/kgen/SymbolicShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

/// Nothing if the last dimension of such a slice is not known.
static std::optional<PairSlice> pairSlice(Value source, ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<int64_t> sizes, int64_t lastStride) {
  std::optional<int64_t> offset = getConstantIntValue(offsets.back());
  bool isStrided = lastStride == 2;
  if (!offset || ShapedType::isDynamic(sizes.back()) || (!isStrided && lastStride != 1))
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
  second.offset -= isStrided ? 1 : sizes.back();
  return *this == second;
}

std::optional<PairSlice> PairSlice::firstOfPairs(int64_t &position) const {
  if (!isInterleaved())
    return std::nullopt;
  PairSlice first = *this;
  int64_t size = cast<RankedTensorType>(source.getType()).getShape().back();
  bool isInside = offset + shape().back() <= size;
  position = offset % 2 != 0 || !isInside;
  first.offset -= position;
  return first.offset >= 0 ? std::optional(first) : std::nullopt;
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

Value PairSlice::extract(OpBuilder &b, Location loc) const {
  SmallVector<int64_t> size = shape();
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getShape() == ArrayRef(size))
    return source;
  SmallVector<OpFoldResult> strides(size.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, type.clone(size), source, offsets(b),
                                        getAsIndexOpFoldResult(b.getContext(), size), strides);
}

/// True if both have the same sizes but the last.
static bool haveSameRows(Value a, Value b) {
  auto first = cast<RankedTensorType>(a.getType()), second = cast<RankedTensorType>(b.getType());
  if (first.getRank() != second.getRank())
    return false;
  if (first.hasStaticShape() && second.hasStaticShape())
    return first.getShape().drop_back() == second.getShape().drop_back();
  std::optional<TensorShape> one = knownShapeOf(a), other = knownShapeOf(b);
  if (!one || !other)
    return false;
  for (int64_t d = 0; d + 1 < first.getRank(); ++d)
    if (one->dim(d) != other->dim(d))
      return false;
  return true;
}

std::optional<PairJoin> pairJoin(Operation *op) {
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    RankedTensorType type = concat.getResultType();
    bool isOfPairs = concat.getInputs().size() == 2 &&
                     static_cast<int64_t>(concat.getDim()) + 1 == type.getRank() &&
                     !ShapedType::isDynamic(type.getShape().back()) &&
                     concat.getInputs()[0].getType() == concat.getInputs()[1].getType();
    if (!isOfPairs)
      return std::nullopt;
    return PairJoin{concat.getInputs()[0],
                    concat.getInputs()[1],
                    llvm::to_vector(type.getShape()),
                    /*isInterleaved=*/type.getShape().back() == 2,
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
  PairJoin join{earlier.getSource(), later.getSource(),   a->shape(),
                a->isInterleaved(),  isInOrder ? *a : *b, earlier.getDest()};
  if (!isInOrder)
    std::swap(join.first, join.second);
  if (ArrayRef(join.shape) == later.getType().getShape() && haveSameRows(join.first, join.dest))
    join.slice.reset();
  else if (!later.getType().hasStaticShape())
    return std::nullopt;
  return join;
}

} // namespace kgen
