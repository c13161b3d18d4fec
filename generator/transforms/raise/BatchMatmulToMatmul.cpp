// Batches that need not be batches: of one element, or of rows that share their B.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_BATCHMATMULTOMATMULPASS
#include "transforms/Passes.h.inc"

namespace {

/// A batch dimension of one step, if there is any.
std::optional<unsigned> unitBatch(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto roles = linalg::inferContractionDims(op);
  if (succeeded(roles))
    for (unsigned dim : roles->batch)
      if (sizes[dim] == 1)
        return dim;
  return std::nullopt;
}

/// Reads what is broadcast into B where it comes from.
void skipBroadcast(linalg::GenericOp op) {
  OpOperand *b = op.getDpsInputOperand(1);
  auto broadcast = b->get().getDefiningOp<linalg::BroadcastOp>();
  if (!broadcast)
    return;
  AffineMap map = op.getMatchingIndexingMap(b);
  llvm::SmallBitVector added(map.getNumResults());
  for (int64_t dim : broadcast.getDimensions())
    added.set(dim);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[1] = map.dropResults(added);
  b->set(broadcast.getInput());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Adjacent dimensions that A and C walk through together, and B not at all: rows.
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

void simplify(IRRewriter &rewriter, linalg::LinalgOp contraction) {
  if (contraction.getNumParallelLoops() < 3)
    return;
  linalg::GenericOp op = asGeneric(rewriter, contraction);
  while (auto dim = unitBatch(op))
    op = dropUnitLoop(rewriter, op, *dim);
  skipBroadcast(op);
  if (SmallVector<ReassociationIndices> groups = rowGroups(op); !groups.empty()) {
    rewriter.setInsertionPoint(op);
    auto collapsed = linalg::collapseOpIterationDims(op, groups, rewriter);
    if (succeeded(collapsed)) {
      rewriter.replaceOp(op, collapsed->results);
      op = cast<linalg::GenericOp>(collapsed->collapsedOp);
    }
  }
  nameContraction(rewriter, op);
}

struct BatchMatmulToMatmulPass : impl::BatchMatmulToMatmulPassBase<BatchMatmulToMatmulPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : contractions)
      simplify(rewriter, op);
  }
};

} // namespace
} // namespace kgen
