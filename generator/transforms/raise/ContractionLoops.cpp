// Contractions as linalg.generic without loops of size one, and under their names again.
#include "transforms/raise/ContractionLoops.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

bool isStaticContraction(linalg::LinalgOp op) {
  auto isStatic = [](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return type && type.hasStaticShape();
  };
  return op.hasPureTensorSemantics() && linalg::isaContractionOpInterface(op) &&
         llvm::all_of(op->getOperands(), isStatic) &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

bool sumsProducts(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || op.getNumDpsInputs() != 2 ||
      op.getNumReductionLoops() == 0)
    return false;
  Block *body = op.getBlock();
  auto sum = body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  bool isLeft = sum.getLhs() == body->getArgument(2);
  auto product = (isLeft ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  Value a = body->getArgument(0), b = body->getArgument(1);
  bool multiplies = product && ((product.getLhs() == a && product.getRhs() == b) ||
                                (product.getLhs() == b && product.getRhs() == a));
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return multiplies && (isLeft || sum.getRhs() == body->getArgument(2)) && fill &&
         matchPattern(fill.value(), m_AnyZeroFloat());
}

linalg::GenericOp asGeneric(RewriterBase &rewriter, linalg::LinalgOp op) {
  if (auto generic = dyn_cast<linalg::GenericOp>(*op))
    return generic;
  rewriter.setInsertionPoint(op);
  return *linalg::generalizeNamedOp(rewriter, op);
}

/// The reassociation of a tensor of `rank` dimensions that merges dimension `dim` into a neighbor.
static SmallVector<ReassociationIndices> mergeGroups(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank; ++d)
    if (d > 0 && (d == dim || (dim == 0 && d == 1)))
      groups.back().push_back(d);
    else
      groups.push_back({d});
  // A tensor of one dimension becomes one of none.
  if (rank == 1)
    groups.clear();
  return groups;
}

linalg::GenericOp dropUnitLoop(RewriterBase &rewriter, linalg::GenericOp op, unsigned loop) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped(op.getNumLoops());
  dropped.set(loop);
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<ReassociationIndices> groups;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto position = map.getResultPosition(rewriter.getAffineDimExpr(loop));
    Value value = operand.get();
    groups.clear();
    if (position) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + *position);
      groups = mergeGroups(type.getRank(), *position);
      value = tensor::CollapseShapeOp::create(
          rewriter, loc, RankedTensorType::get(shape, type.getElementType()), value, groups);
      map = map.dropResult(*position);
    }
    operands.push_back(value);
    maps.push_back(projectDims(map, dropped, /*compressDimsFlag=*/true));
  }
  auto iterators = op.getIteratorTypesArray();
  iterators.erase(iterators.begin() + loop);
  auto smaller =
      linalg::GenericOp::create(rewriter, loc, operands.back().getType(),
                                ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
  rewriter.inlineRegionBefore(op.getRegion(), smaller.getRegion(), smaller.getRegion().begin());
  Value result = smaller.getResult(0);
  if (result.getType() != op.getResult(0).getType())
    result =
        tensor::ExpandShapeOp::create(rewriter, loc, op.getResult(0).getType(), result, groups);
  rewriter.replaceOp(op, result);
  return smaller;
}

/// True if the operands are [batch, m, k], [batch, k, n] and [batch, m, n], or the same without
/// batch. Upstream's specialization ignores the order of A's dimensions.
static bool isMatmul(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> batch(maps[2].getResults());
  if (op.getNumReductionLoops() != 1 || batch.size() < 2 || batch.size() > 3 ||
      batch.size() != op.getNumParallelLoops())
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineExpr n = batch.pop_back_val(), m = batch.pop_back_val(),
             k = getAffineDimExpr(reductions.front(), op.getContext());
  SmallVector<AffineExpr> a(batch), b(batch);
  a.append({m, k});
  b.append({k, n});
  return maps[0].getResults() == ArrayRef(a) && maps[1].getResults() == ArrayRef(b);
}

void nameContraction(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!isMatmul(op))
    return;
  rewriter.setInsertionPoint(op);
  // A body that does more than multiply and add has no name; the generic then stays.
  if (failed(linalg::specializeGenericOp(rewriter, op)))
    return;
}

SmallVector<ReassociationIndices> rowGroups(linalg::GenericOp op) {
  auto roles = linalg::inferContractionDims(op);
  if (failed(roles))
    return {};
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim : roles->m) {
    if (!groups.empty() && groups.back().back() + 1 == dim) {
      ReassociationIndices longer = groups.back();
      longer.push_back(dim);
      if (linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), {longer})) {
        groups.back() = longer;
        continue;
      }
    }
    groups.push_back({dim});
  }
  llvm::erase_if(groups, [](const ReassociationIndices &group) { return group.size() < 2; });
  return groups;
}

/// Fills a tensor with the collapsed shape instead of collapsing one that is filled: sums that
/// begin at zero are known by that.
static void fillCollapsed(RewriterBase &rewriter, linalg::LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  auto collapse = init->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto fill = collapse ? collapse.getSrc().getDefiningOp<linalg::FillOp>() : linalg::FillOp();
  if (!fill)
    return;
  rewriter.setInsertionPoint(op);
  Value empty = emptyLike(rewriter, fill.getLoc(), collapse.getResult());
  auto filled = linalg::FillOp::create(rewriter, fill.getLoc(), fill.value(), empty);
  rewriter.modifyOpInPlace(op, [&] { init->set(filled.getResult(0)); });
}

linalg::LinalgOp joinDynamicRows(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto isDynamic = [&](int64_t dim) { return ShapedType::isDynamic(sizes[dim]); };
  auto roles = linalg::inferContractionDims(op);
  if (failed(roles) || llvm::none_of(roles->m, isDynamic) || llvm::any_of(roles->n, isDynamic) ||
      llvm::any_of(roles->k, isDynamic) ||
      llvm::count_if(roles->m, [&](unsigned dim) { return sizes[dim] != 1; }) < 2)
    return op;
  linalg::GenericOp generic = asGeneric(rewriter, op);
  SmallVector<ReassociationIndices> groups = rowGroups(generic);
  llvm::erase_if(groups, [&](ArrayRef<int64_t> group) {
    return llvm::none_of(group.drop_front(), isDynamic);
  });
  if (groups.empty())
    return generic;
  rewriter.setInsertionPoint(generic);
  auto collapsed = linalg::collapseOpIterationDims(generic, groups, rewriter);
  if (failed(collapsed))
    return generic;
  rewriter.replaceOp(generic, collapsed->results);
  fillCollapsed(rewriter, collapsed->collapsedOp);
  return collapsed->collapsedOp;
}

} // namespace kgen
