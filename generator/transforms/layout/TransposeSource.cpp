#include "transforms/layout/TransposeSource.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Returns the source of a generic that only transposes; nothing for other values.
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

/// Returns the reassociation of the source that collapses the same dimensions as `groups` does for
/// its transposed copy, and the order of these groups in the source. Nothing if the dimensions of a
/// group are not neighbours in the source; unit dimensions do not separate neighbours.
std::optional<std::pair<SmallVector<ReassociationIndices>, SmallVector<unsigned>>>
collapsedSource(const TransposeSource &source, ArrayRef<ReassociationIndices> groups) {
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
  llvm::SmallDenseSet<unsigned> distinct(order.begin(), order.end());
  if (order.size() != groups.size() || distinct.size() != order.size())
    return std::nullopt;
  return std::pair(runs, order);
}

} // namespace

std::optional<TransposeSource> transposeSource(OpBuilder &b, Value value) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  auto source = sourceOfCopy(collapse ? collapse.getSrc() : value);
  if (!source || !collapse)
    return source;
  auto groups = collapsedSource(*source, collapse.getReassociationIndices());
  if (!groups)
    return std::nullopt;
  Value collapsed =
      tensor::CollapseShapeOp::create(b, collapse.getLoc(), source->value, groups->first);
  return TransposeSource{collapsed, AffineMap::getPermutationMap(groups->second, b.getContext())};
}

} // namespace kgen
