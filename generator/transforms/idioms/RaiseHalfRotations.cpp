// Rotary embeddings that join the halves of a tensor the other way round: x c + join(-x2, x1) s.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

#include <array>

using namespace mlir;

namespace kgen {
namespace {

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

/// An operation of one result whose loops are the dimensions of the result.
linalg::GenericOp elementwise(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  bool is = generic && generic.hasPureTensorSemantics() && generic.getNumResults() == 1 &&
            generic.getNumParallelLoops() == generic.getNumLoops() &&
            !generic.hasIndexSemantics() &&
            generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isIdentity() &&
            !generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0));
  return is ? generic : linalg::GenericOp();
}

/// The two halves of a tensor along its last dimension.
using Halves = std::array<Value, 2>;

/// True for a slice that has all of `whole`'s dimensions but the last, of which it has the elements
/// from `first` on.
template <typename Slice>
bool isSliceAt(Slice slice, RankedTensorType whole, RankedTensorType part, int64_t first) {
  if (part.getRank() != whole.getRank() || !slice.hasUnitStride())
    return false;
  for (int64_t d = 0; d < whole.getRank(); ++d) {
    bool isLast = d + 1 == whole.getRank();
    if (slice.isDynamicOffset(d) || slice.getStaticOffset(d) != (isLast ? first : 0) ||
        (!isLast && part.getDimSize(d) != whole.getDimSize(d)))
      return false;
  }
  return true;
}

/// Nothing if `value` is not made of two halves.
std::optional<Halves> joinedHalves(Value value) {
  RankedTensorType whole = tensorType(value);
  if (whole.getRank() == 0 || whole.getShape().back() % 2 != 0)
    return std::nullopt;
  int64_t half = whole.getShape().back() / 2;
  Halves halves;
  if (auto concat = value.getDefiningOp<tensor::ConcatOp>()) {
    if (concat.getInputs().size() != 2 ||
        static_cast<int64_t>(concat.getDim()) + 1 != whole.getRank())
      return std::nullopt;
    halves = {concat.getInputs()[0], concat.getInputs()[1]};
  } else {
    auto second = value.getDefiningOp<tensor::InsertSliceOp>();
    auto first = second ? second.getDest().getDefiningOp<tensor::InsertSliceOp>() : nullptr;
    if (!first || !isSliceAt(first, whole, first.getSourceType(), 0) ||
        !isSliceAt(second, whole, second.getSourceType(), half))
      return std::nullopt;
    halves = {first.getSource(), second.getSource()};
  }
  for (Value part : halves)
    if (tensorType(part).getShape().back() != half)
      return std::nullopt;
  return halves;
}

/// A slice of the last dimension, before or after an operation on its elements alone.
tensor::ExtractSliceOp sliceBehind(Value half) {
  if (auto generic = elementwise(half.getDefiningOp()); generic && generic.getNumDpsInputs() == 1)
    half = generic.getDpsInputs()[0];
  auto slice = half.getDefiningOp<tensor::ExtractSliceOp>();
  return slice && slice.getSourceType().getRank() == tensorType(half).getRank()
             ? slice
             : tensor::ExtractSliceOp();
}

/// True if the halves come from one tensor, the second one from in front of the first one.
bool areExchanged(const Halves &halves) {
  tensor::ExtractSliceOp first = sliceBehind(halves[0]), second = sliceBehind(halves[1]);
  if (!first || !second || first.getSource() != second.getSource())
    return false;
  int64_t last = first.getSourceType().getRank() - 1;
  int64_t from = second.isDynamicOffset(last) ? -1 : second.getStaticOffset(last);
  int64_t half = tensorType(halves[0]).getShape().back();
  RankedTensorType part = first.getType();
  return from >= 0 && isSliceAt(first, first.getSourceType(), part, from + half) &&
         isSliceAt(second, first.getSourceType(), part, from);
}

/// Computes one half of a tensor.
class HalfBuilder {
public:
  HalfBuilder(RewriterBase &b, int64_t number) : b(b), number(number) {}

  /// Says what the half of `whole` is.
  void setHalf(Value whole, Value half) { made[whole] = half; }

  Value build(Value value) {
    if (Value &known = made[value])
      return known;
    Value half = make(value);
    return made[value] = half;
  }

  /// Of an operation whose result becomes the joined halves, whoever reads it.
  Value buildGeneric(linalg::GenericOp op);

private:
  Value make(Value value) {
    if (std::optional<Halves> halves = joinedHalves(value))
      return (*halves)[number];
    if (auto generic = elementwise(value.getDefiningOp());
        generic && (value.hasOneUse() || leadsToHalves(value)))
      return buildGeneric(generic);
    if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
        expand && keepsLast(expand.getReassociationIndices())) {
      RankedTensorType half = halfOf(tensorType(value));
      SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
      sizes.back() = b.getIndexAttr(half.getShape().back());
      return tensor::ExpandShapeOp::create(b, value.getLoc(), half, build(expand.getSrc()),
                                           expand.getReassociationIndices(), sizes);
    }
    if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
        collapse && keepsLast(collapse.getReassociationIndices()))
      return tensor::CollapseShapeOp::create(b, value.getLoc(), halfOf(tensorType(value)),
                                             build(collapse.getSrc()),
                                             collapse.getReassociationIndices());
    return sliced(value);
  }

  static bool keepsLast(ArrayRef<ReassociationIndices> groups) {
    return !groups.empty() && groups.back().size() == 1;
  }

  /// True if a half of `value` needs no slice of what it is computed from.
  bool leadsToHalves(Value value) {
    if (joinedHalves(value))
      return true;
    auto generic = elementwise(value.getDefiningOp());
    return generic && generic.getNumDpsInputs() == 1 && leadsToHalves(generic.getDpsInputs()[0]);
  }

  RankedTensorType halfOf(RankedTensorType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.back() /= 2;
    return type.clone(shape);
  }

  SmallVector<OpFoldResult> halvedSizes(Value value) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, value.getLoc(), value);
    sizes.back() = b.getIndexAttr(halfOf(tensorType(value)).getShape().back());
    return sizes;
  }

  Value sliced(Value value) {
    RankedTensorType part = halfOf(tensorType(value));
    Location loc = value.getLoc();
    int64_t rank = part.getRank(), first = number * part.getShape().back();
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), strides(rank, b.getIndexAttr(1)),
        sizes = halvedSizes(value);
    auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (slice && slice.hasUnitStride() && slice.getSourceType().getRank() == rank &&
        !slice.isDynamicOffset(rank - 1)) {
      offsets = slice.getMixedOffsets();
      first += slice.getStaticOffset(rank - 1);
      value = slice.getSource();
    }
    offsets.back() = b.getIndexAttr(first);
    return tensor::ExtractSliceOp::create(b, loc, part, value, offsets, sizes, strides);
  }

  RewriterBase &b;
  int64_t number;
  llvm::DenseMap<Value, Value> made;
};

Value HalfBuilder::buildGeneric(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  SmallVector<Value> inputs;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(map.isFunctionOfDim(last) ? build(input->get()) : input->get());
  }
  Value init = emptyTensor(b, op.getLoc(), halvedSizes(op.getDpsInits()[0]),
                           tensorType(op.getResult(0)).getElementType());
  auto half = linalg::GenericOp::create(b, op.getLoc(), init.getType(), inputs, init,
                                        op.getIndexingMapsArray(), op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&half.getRegion(), mapping);
  return half.getResult(0);
}

/// True if each input that is read along the last dimension is read as it lies there.
bool readsHalves(linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.isProjectedPermutation() && isa<RankedTensorType>(input->get().getType()) &&
           (!map.isFunctionOfDim(last) || map.getDimPosition(map.getNumResults() - 1) == last);
  });
}

/// The sum or difference that the exchanged halves lead to by products; null if they do not, and
/// what is `missing` then.
linalg::GenericOp sumOfHalves(Value join, StringRef &missing) {
  Value value = join;
  constexpr int longest = 3; // a product, a rounding and the sum
  for (int length = 0; length < longest; ++length) {
    if (!value.hasOneUse()) {
      missing = "exchanged halves of a row are read by several operations";
      return {};
    }
    linalg::GenericOp op = elementwise(*value.user_begin());
    missing = "exchanged halves of a row do not lead to a sum";
    if (!op || op.getNumLoops() == 0 || !readsHalves(op))
      return {};
    bool isSum = llvm::any_of(
        *op.getBody(), [](Operation &inner) { return isa<arith::AddFOp, arith::SubFOp>(inner); });
    value = op.getResult(0);
    if (isSum)
      return op;
  }
  return {};
}

/// `exchanged` are halves that areExchanged is true for.
void splitSum(IRRewriter &rewriter, linalg::GenericOp sum, const Halves &exchanged) {
  rewriter.setInsertionPoint(sum);
  RankedTensorType whole = tensorType(sum.getResult(0));
  int64_t rank = whole.getRank(), half = whole.getShape().back() / 2;
  Location loc = sum.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, sum.getDpsInits()[0]);
  Value result = emptyTensor(rewriter, loc, sizes, whole.getElementType());
  sizes.back() = rewriter.getIndexAttr(half);
  for (int64_t number : {0, 1}) {
    HalfBuilder builder(rewriter, number);
    tensor::ExtractSliceOp slice = sliceBehind(exchanged[1 - number]);
    if (slice.getSourceType().getShape().back() == whole.getShape().back())
      builder.setHalf(slice.getSource(), slice.getResult());
    Value part = builder.buildGeneric(sum);
    SmallVector<OpFoldResult> offsets(rank, rewriter.getIndexAttr(0)),
        strides(rank, rewriter.getIndexAttr(1));
    offsets.back() = rewriter.getIndexAttr(number * half);
    result = tensor::InsertSliceOp::create(rewriter, loc, part, result, offsets, sizes, strides);
  }
  rewriter.replaceOp(sum, result);
}

} // namespace

void raiseHalfRotations(func::FuncOp func, IdiomLog &log) {
  SmallVector<std::pair<Value, Halves>> joins;
  func.walk([&](Operation *op) {
    if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
      if (std::optional<Halves> halves = joinedHalves(op->getResult(0));
          halves && areExchanged(*halves))
        joins.push_back({op->getResult(0), *halves});
  });
  IRRewriter rewriter(func.getContext());
  for (const auto &[join, halves] : joins) {
    StringRef missing;
    linalg::GenericOp sum = sumOfHalves(join, missing);
    if (!sum) {
      log.refused(join.getLoc(), missing);
      continue;
    }
    log.applied(sum.getLoc(), "a sum with the exchanged halves of each row, half by half");
    splitSum(rewriter, sum, halves);
  }
}

} // namespace kgen
