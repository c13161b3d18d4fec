#include "transforms/tiling/RowChain.h"

#include "analysis/AccessPattern.h"
#include "analysis/SizeBounds.h"
#include "analysis/ViewSource.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/tiling/TileableOps.h"

using namespace mlir;

namespace kgen {

int64_t countReaders(const FusionGroup &group, int64_t elements) {
  return llvm::count_if(group.operations(), [&](Operation *op) {
    return llvm::any_of(cast<linalg::LinalgOp>(op).getDpsInputs(), [&](Value input) {
      return isa<RankedTensorType>(input.getType()) && greatestElementsOf(input) == elements;
    });
  });
}

bool isRowChain(const FusionGroup &group, bool tilesColumns) {
  auto hasWindows = [](Operation *op) { return readsThroughWindows(cast<linalg::LinalgOp>(op)); };
  auto isReader = [](Operation *op) {
    return llvm::any_of(cast<linalg::LinalgOp>(op).getDpsInputs(),
                        [](Value input) { return isa<RankedTensorType>(input.getType()); });
  };
  return (tilesColumns || !group.tilesRows()) && llvm::none_of(group.operations(), hasWindows) &&
         llvm::count_if(group.operations(), isReader) > 1;
}

bool reducesVertically(const FusionGroup &group) {
  return llvm::any_of(group.operations(), [](Operation *op) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    return linalgOp.getNumReductionLoops() > 0 &&
           linalgOp.getIteratorTypesArray().back() == utils::IteratorType::parallel;
  });
}

bool isContiguous(const FusionGroup &group) {
  return llvm::all_of(group.operations(), [&](Operation *op) {
    SmallVector<unsigned> reduced;
    cast<linalg::LinalgOp>(op).getReductionDims(reduced);
    return llvm::all_of(group.loopsOf(op), [&](unsigned tiled) {
      return llvm::all_of(reduced, [&](unsigned loop) { return tiled < loop; });
    });
  });
}

bool reducesBlocks(const FusionGroup &group) {
  return llvm::any_of(group.operations(), [&](Operation *op) {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    SmallVector<unsigned> reduced;
    linalgOp.getReductionDims(reduced);
    if (reduced.size() != 1 || reduced.front() == 0)
      return false;
    unsigned blocks = reduced.front() - 1;
    return loopSizes(linalgOp)[blocks] > 1 && !llvm::is_contained(group.loopsOf(op), blocks);
  });
}

bool readsRowsAgain(const FusionGroup &group, linalg::LinalgOp root) {
  auto elementsOf = [](Value v) {
    return isa<RankedTensorType>(v.getType()) ? greatestElementsOf(v) : 0;
  };
  llvm::SmallDenseSet<Value> read;
  for (Operation *op : group.operations())
    for (Value input : cast<linalg::LinalgOp>(op).getDpsInputs())
      if (elementsOf(input) > elementsOf(root->getResult(0)) && !read.insert(input).second)
        return true;
  return false;
}

bool transposesRows(linalg::LinalgOp op, unsigned loop) {
  if (op.getNumReductionLoops() != 0)
    return false;
  SmallVector<int64_t> sizes = loopSizes(op);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned innermost = result.getDimPosition(result.getNumResults() - 1);
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    std::optional<unsigned> rows = AccessPattern(op, *input).transposedLoop(innermost);
    return rows && ((*rows == loop && sizes[innermost] <= maxTransposedRow) ||
                    (innermost == loop && sizes[*rows] <= maxTransposedRow));
  });
}

static Stores ownStoresOf(const FusionGroup &group, linalg::LinalgOp root, linalg::LinalgOp member,
                          TargetAttr target) {
  bool isInTiles = member != root && llvm::all_of(member->getUsers(), [&](Operation *user) {
                     return group.contains(user);
                   });
  return chooseStores(member, target, [&](OpOperand &operand) {
    Operation *producer = operand.get().getDefiningOp();
    return (isInTiles && member.isDpsInit(&operand)) || (producer && group.contains(producer));
  });
}

Stores storesOfMember(const FusionGroup &group, linalg::LinalgOp root, linalg::LinalgOp member,
                      TargetAttr target) {
  if (std::optional<Stores> written = writtenStores(member))
    return *written;
  Stores stores = ownStoresOf(group, root, member, target);
  if (member == root)
    for (Operation *op : group.operations())
      stores =
          stores | (ownStoresOf(group, root, cast<linalg::LinalgOp>(op), target) & Stores::memory);
  return stores;
}

/// Returns the operands that are slices of tensors larger than the last-level cache.
static SmallVector<Value> operandsFromMemory(const FusionGroup &group, TargetAttr target) {
  SmallVector<Value> found;
  for (Operation *op : group.operations())
    llvm::copy_if(
        cast<linalg::LinalgOp>(op).getDpsInputs(), std::back_inserter(found),
        [&](Value input) { return exceedsLastLevel(target.cpu(), bytesOfSource(input)); });
  return found;
}

bool readsFromMemory(const FusionGroup &group, TargetAttr target) {
  return !operandsFromMemory(group, target).empty();
}

bool readsRowsOfAllSets(const FusionGroup &group, TargetAttr target) {
  SmallVector<Value> operands = operandsFromMemory(group, target);
  return !operands.empty() && llvm::all_of(operands, [&](Value operand) {
    auto source = cast<ShapedType>(viewSourceThroughLoops(operand).getType());
    int64_t slice = cast<ShapedType>(operand.getType()).getShape().back(), pitch = 1;
    for (int64_t size : llvm::reverse(source.getShape())) {
      if (pitch >= slice)
        break;
      if (ShapedType::isDynamic(size))
        return false;
      pitch *= size;
    }
    return pitch * bytesOfElement(source) % target.cpu().pageBytes != 0;
  });
}

} // namespace kgen
