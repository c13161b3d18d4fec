#include "transforms/layout/TransposeSource.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// What a transposition copies, or nothing.
std::optional<TransposeSource> sourceOfCopy(Value value) {
  auto copy = value.getDefiningOp<linalg::GenericOp>();
  if (!copy || !copy.hasPureTensorSemantics() || copy.getNumDpsInputs() != 1 ||
      copy.getNumDpsInits() != 1 || copy.getNumParallelLoops() != copy.getNumLoops() ||
      !copy.getMatchingIndexingMap(copy.getDpsInitOperand(0)).isIdentity() ||
      copy.getBody()->getTerminator()->getOperand(0) != copy.getRegionInputArgs().front())
    return std::nullopt;
  AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  return read.isPermutation() ? std::optional(TransposeSource{copy.getDpsInputs().front(), read})
                              : std::nullopt;
}

/// How dimensions of the source are collapsed as `groups` says for those of its transposed copy,
/// and the order of the groups; nothing where a group's are not neighbours. Those of size one are
/// neighbours of all.
std::optional<std::pair<SmallVector<ReassociationIndices>, SmallVector<unsigned>>>
collapsedAlike(const TransposeSource &source, ArrayRef<ReassociationIndices> groups) {
  auto shape = cast<RankedTensorType>(source.value.getType()).getShape();
  SmallVector<unsigned> groupOf(source.map.getNumDims());
  for (auto [number, group] : llvm::enumerate(groups))
    for (int64_t dimension : group)
      groupOf[dimension] = number;
  SmallVector<ReassociationIndices> runs;
  SmallVector<unsigned> order;
  ReassociationIndices ones; // in front of the first run
  int64_t last = -1;
  for (int64_t position = 0; position < static_cast<int64_t>(shape.size()); ++position) {
    if (shape[position] == 1) {
      (runs.empty() ? ones : runs.back()).push_back(position);
      continue;
    }
    int64_t dimension = source.map.getDimPosition(position);
    if (!order.empty() && order.back() == groupOf[dimension] && dimension > last) {
      runs.back().push_back(position);
    } else {
      runs.emplace_back(runs.empty() ? ones : ReassociationIndices());
      runs.back().push_back(position);
      order.push_back(groupOf[dimension]);
    }
    last = dimension;
  }
  llvm::SmallDenseSet<unsigned> once(order.begin(), order.end());
  if (order.size() != groups.size() || once.size() != order.size())
    return std::nullopt;
  return std::pair(runs, order);
}

} // namespace

std::optional<TransposeSource> transposeSource(OpBuilder &b, Value value) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  auto source = sourceOfCopy(collapse ? collapse.getSrc() : value);
  if (!source || !collapse)
    return source;
  auto alike = collapsedAlike(*source, collapse.getReassociationIndices());
  if (!alike)
    return std::nullopt;
  Value collapsed =
      tensor::CollapseShapeOp::create(b, collapse.getLoc(), source->value, alike->first);
  return TransposeSource{collapsed, AffineMap::getPermutationMap(alike->second, b.getContext())};
}

} // namespace kgen
