#include "transforms/vectorize/CollapseDimensions.h"

#include "analysis/SizeBounds.h"
#include "transforms/vectorize/LoopSizes.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// True if dimension `d` of two tensors has the same size.
bool haveSameSize(Value tensor, Value other, int64_t d) {
  int64_t size = cast<ShapedType>(tensor.getType()).getDimSize(d),
          otherSize = cast<ShapedType>(other.getType()).getDimSize(d);
  if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(otherSize))
    return size == otherSize;
  std::optional<SizeForm> form = sizeFormOf(tensor, d), otherForm = sizeFormOf(other, d);
  return form && otherForm && form->expression == otherForm->expression &&
         form->symbols == otherForm->symbols;
}

/// True if a result is inserted into a tensor whose dimension `p + 1` is longer: it is computed in
/// place there, unless a reshape hides where it belongs.
bool isPartWithGaps(Value result, int64_t p) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    auto insertion = dyn_cast<tensor::InsertSliceOp>(user);
    return insertion && insertion.getSource() == result &&
           insertion.getSourceType().getRank() == insertion.getDestType().getRank() &&
           insertion.getSourceType().getDimSize(p) != 1 &&
           !haveSameSize(insertion.getSource(), insertion.getDest(), p + 1);
  });
}

/// Returns those of a group of a reshape that are not 1.
ReassociationIndices realDimensions(tensor::CollapseShapeOp reshape, int64_t group) {
  ReassociationIndices dimensions = reshape.getReassociationIndices()[group];
  llvm::erase_if(dimensions, [&](int64_t d) { return reshape.getSrcType().getDimSize(d) == 1; });
  return dimensions;
}

/// True if dimensions `p` and `p + 1` of a tensor are contiguous as one. A slice of the inner one
/// has gaps.
bool isContiguousAt(Value tensor, int64_t p) {
  if (auto carried = dyn_cast<BlockArgument>(tensor))
    if (auto loop = dyn_cast<LoopLikeOpInterface>(carried.getOwner()->getParentOp()))
      if (OpOperand *init = loop.getTiedLoopInit(carried)) {
        auto tasks = dyn_cast<scf::ForallOp>(*loop); // whose results the interface does not know
        Value result = tasks ? tasks.getTiedOpResult(init) : loop.getTiedLoopResult(init);
        return !isPartWithGaps(result, p) && isContiguousAt(init->get(), p);
      }
  if (auto collapsed = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    const ReassociationIndices outer = realDimensions(collapsed, p),
                               inner = realDimensions(collapsed, p + 1);
    bool areNeighbors = !outer.empty() && !inner.empty() && outer.back() + 1 == inner.front();
    return !areNeighbors || isContiguousAt(collapsed.getSrc(), outer.back());
  }
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return true;
  RankedTensorType type = slice.getType(), source = slice.getSourceType();
  if (type.getDimSize(p) == 1)
    return true;
  return type.getRank() == source.getRank() && haveSameSize(slice, slice.getSource(), p + 1) &&
         isContiguousAt(slice.getSource(), p);
}

/// True if the operation fills a slice of a tensor, like the padding of an image.
bool fillsPart(linalg::GenericOp op) {
  auto isTensor = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  auto isInsertion = [](Operation *user) { return isa<tensor::InsertSliceOp>(user); };
  return llvm::none_of(op.getDpsInputs(), isTensor) &&
         llvm::any_of(op.getResult(0).getUsers(), isInsertion);
}

} // namespace

bool followWithoutGaps(linalg::GenericOp op, int64_t d) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (int64_t p = 0; p + 1 < map.getNumResults(); ++p)
      if (map.getResult(p) == getAffineDimExpr(d - 1, map.getContext()) &&
          (!isContiguousAt(operand.get(), p) ||
           (op.isDpsInit(&operand) && isPartWithGaps(op.getTiedOpResult(&operand), p))))
        return false;
    return true;
  });
}

/// Splits a group of dimensions outside of each dynamic one: upstream expands a dimension to one
/// dynamic size and others that are static. Splits it inside of a parallel dynamic one, too, if
/// what is inside are whole vectors of `lanes` elements: as many loops of these leave no remainder.
static SmallVector<ReassociationIndices> splitAtDynamic(const LoopSizes &sizes,
                                                        const ReassociationIndices &group,
                                                        bool isParallel, int64_t lanes) {
  SmallVector<ReassociationIndices> parts = {{}};
  bool hasDynamic = false;
  int64_t inner = 1;
  for (int64_t d : llvm::reverse(group)) {
    if (!sizes.isDynamic(d)) {
      inner *= sizes[d];
    } else {
      bool isWhole = isParallel && !parts.back().empty() && inner % lanes == 0;
      if (hasDynamic || isWhole)
        parts.push_back({});
      hasDynamic = true;
    }
    parts.back().insert(parts.back().begin(), d);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

linalg::GenericOp collapseDimensions(IRRewriter &rewriter, linalg::GenericOp op, int64_t lanes) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Upstream's patterns take projected permutations only, not blockwise-quantized weights.
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return op;
  // A reshape would hide the destination of the slice from bufferization, which would copy it.
  if (fillsPart(op))
    return op;
  auto iterators = op.getIteratorTypesArray();
  LoopSizes sizes(op);
  if (!sizes.areKnown())
    return op;
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < static_cast<int64_t>(op.getNumLoops()); ++d) {
    if (!groups.empty() && iterators[d] == iterators[d - 1]) {
      ReassociationIndices longer = groups.back();
      longer.push_back(d);
      if (linalg::areDimSequencesPreserved(maps, {longer}) && followWithoutGaps(op, d)) {
        groups.back() = longer;
        continue;
      }
    }
    groups.push_back({d});
  }
  SmallVector<ReassociationIndices> contiguous = std::move(groups);
  groups.clear();
  for (const ReassociationIndices &group : contiguous)
    llvm::append_range(
        groups,
        splitAtDynamic(sizes, group, linalg::isParallelIterator(iterators[group.front()]), lanes));
  llvm::erase_if(groups, [](const ReassociationIndices &group) { return group.size() < 2; });
  if (groups.empty())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp);
}

} // namespace kgen
