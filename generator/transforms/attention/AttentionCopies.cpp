// Copies in front of attention, in the form that lets kgen-hoist-attention-reshapes move reshapes
// and kgen-fuse-attention read what they copy.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/UnitDims.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {

/// A copy of `source`, which is read by `map` of the loops of these `sizes`.
static Value createCopy(OpBuilder &b, Location loc, Value source, AffineMap map,
                        ArrayRef<int64_t> sizes) {
  Value init = emptyTensor(b, loc, sizes, getElementTypeOrSelf(source));
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, init.getType(), source, init,
                                   {map, b.getMultiDimIdentityMap(sizes.size())}, iterators,
                                   [](OpBuilder &inner, Location where, ValueRange in) {
                                     linalg::YieldOp::create(inner, where, in[0]);
                                   })
      .getResult(0);
}

namespace {
/// A transposed tensor, of which a slice is read.
struct Transposed {
  Value source;
  AffineMap map; ///< from dimensions of the result to those of the source
};
} // namespace

static std::optional<Transposed> transposedOf(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (transpose && transpose.hasPureTensorSemantics())
    return Transposed{transpose.getInput(),
                      transpose.getIndexingMapsArray()[0].compose(
                          inversePermutation(transpose.getIndexingMapsArray()[1]))};
  auto copy = value.getDefiningOp<linalg::GenericOp>();
  if (!isCopy(copy))
    return std::nullopt;
  AffineMap map = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  return map.isPermutation() ? std::optional(Transposed{copy.getDpsInputs()[0], map})
                             : std::nullopt;
}

static tensor::ExtractSliceOp sliceOf(Value value) {
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    value = collapse.getSrc();
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  bool isPlain = slice && slice.hasUnitStride() && slice.getType().hasStaticShape() &&
                 slice.getType().getRank() == slice.getSourceType().getRank();
  return isPlain ? slice : tensor::ExtractSliceOp();
}

bool isSliceOfCopy(Value value) {
  tensor::ExtractSliceOp slice = sliceOf(value);
  return slice && transposedOf(slice.getSource());
}

void sliceBeforeCopy(RewriterBase &b, Value value) {
  tensor::ExtractSliceOp slice = sliceOf(value);
  std::optional<Transposed> whole = transposedOf(slice.getSource());
  int64_t rank = slice.getType().getRank();
  ArrayRef<int64_t> sizes = slice.getType().getShape();
  SmallVector<ReassociationIndices> groups;
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    groups = collapse.getReassociationIndices();
  else
    for (int64_t d = 0; d < rank; ++d)
      groups.push_back({d});
  // Dimensions of 1 that another one of their group makes superfluous are dropped by the slice.
  SmallVector<int64_t> numbers(rank, -1), kept;
  SmallVector<ReassociationIndices> keptGroups;
  for (const ReassociationIndices &group : groups) {
    keptGroups.emplace_back();
    for (int64_t d : group) {
      if (sizes[d] == 1 && !(d == group.back() && keptGroups.back().empty()))
        continue;
      numbers[d] = static_cast<int64_t>(kept.size());
      keptGroups.back().push_back(numbers[d]);
      kept.push_back(sizes[d]);
    }
  }
  Location loc = slice.getLoc();
  b.setInsertionPointAfterValue(value);
  SmallVector<OpFoldResult> offsets, lengths, strides(rank, b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> results;
  for (AffineExpr index : whole->map.getResults()) {
    int64_t d = cast<AffineDimExpr>(index).getPosition();
    offsets.push_back(slice.getMixedOffsets()[d]);
    lengths.push_back(b.getIndexAttr(sizes[d]));
    if (numbers[d] < 0)
      continue;
    shape.push_back(sizes[d]);
    results.push_back(b.getAffineDimExpr(numbers[d]));
  }
  auto type = RankedTensorType::get(shape, slice.getType().getElementType());
  Value part =
      tensor::ExtractSliceOp::create(b, loc, type, whole->source, offsets, lengths, strides);
  Value copy = createCopy(b, slice.getSource().getLoc(), part,
                          AffineMap::get(kept.size(), 0, results, b.getContext()), kept);
  if (keptGroups.size() < kept.size())
    copy = tensor::CollapseShapeOp::create(b, loc, copy, keptGroups);
  b.replaceAllUsesWith(value, copy);
}

/// A repetition by Tile has a dimension of 1 beside each dimension, which the contraction shall not
/// have: `collapse` of such a repetition becomes that of one without.
void dropUnitDimsOfRepetition(RewriterBase &b, tensor::CollapseShapeOp collapse) {
  auto repeat = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  if (!isCopy(repeat)) // whose input is read by a projected permutation
    return;
  AffineMap read = repeat.getMatchingIndexingMap(repeat.getDpsInputOperand(0));
  SmallVector<int64_t> sizes = repeat.getStaticLoopRanges(), kept;
  if (ShapedType::isDynamicShape(sizes))
    return;
  Value source = repeat.getDpsInputs()[0];
  // The origin of the source's dimensions of 1 does not matter if it has the same elements.
  if (auto expand = source.getDefiningOp<tensor::ExpandShapeOp>())
    if (withoutUnitDims(expand.getSrcType().getShape()) ==
        withoutUnitDims(expand.getResultType().getShape()))
      source = expand.getSrc();
  // A loop of 1 stays if it is all that a dimension of the result has; the source does without.
  llvm::SmallDenseMap<unsigned, unsigned> numbers;
  SmallVector<ReassociationIndices> groups;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    groups.emplace_back();
    for (int64_t loop : group) {
      bool isAll = loop == group.back() && groups.back().empty();
      if (sizes[loop] == 1 && !isAll)
        continue;
      groups.back().push_back(numbers[loop] = kept.size());
      kept.push_back(sizes[loop]);
    }
  }
  SmallVector<AffineExpr> results;
  for (AffineExpr result : read.getResults())
    if (unsigned loop = cast<AffineDimExpr>(result).getPosition(); sizes[loop] != 1)
      results.push_back(b.getAffineDimExpr(numbers[loop]));
  bool isRepetition = llvm::any_of(llvm::enumerate(sizes), [&](auto loop) {
    return loop.value() != 1 && !read.isFunctionOfDim(loop.index());
  });
  if (!isRepetition || kept.size() == sizes.size() || results.empty())
    return;
  b.setInsertionPoint(collapse);
  Location loc = repeat.getLoc();
  auto map = AffineMap::get(kept.size(), 0, results, b.getContext());
  Value repeated = createCopy(b, loc, dropUnitDims(b, source.getLoc(), source), map, kept);
  b.replaceOpWithNewOp<tensor::CollapseShapeOp>(collapse, repeated, groups);
}

} // namespace kgen
