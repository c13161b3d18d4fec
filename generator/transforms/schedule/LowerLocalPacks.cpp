// Packs and unpacks between memories as transposes of views. Upstream's lowering of an unpack has a
// tensor of its own between the two memories, and linalg.pack does not bufferize.
#include "transforms/schedule/LocalPacks.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>

using namespace mlir;

namespace kgen {
namespace {

/// A tensor with each tiled dimension as two, (outer, inner).
struct ExpandedTensor {
  tensor::ExpandShapeOp view;
  SmallVector<int64_t> permutation; ///< the dimension of `view` for each one of the packed tensor
};

/// Nothing where a tile is partial.
template <typename Op> std::optional<ExpandedTensor> expand(OpBuilder &b, Op op, Value plain) {
  auto type = cast<RankedTensorType>(plain.getType());
  ExpandedTensor result;
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape, outer, inner(op.getInnerDimsPos().size());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    ArrayRef<int64_t> tiled = op.getInnerDimsPos();
    size_t index = llvm::find(tiled, dim) - tiled.begin();
    int64_t position = shape.size();
    groups.push_back({position});
    outer.push_back(position);
    if (index == tiled.size()) {
      shape.push_back(type.getDimSize(dim));
      continue;
    }
    int64_t tile = op.getStaticInnerTiles()[index];
    if (ShapedType::isDynamic(tile) || type.isDynamicDim(dim) || type.getDimSize(dim) % tile)
      return std::nullopt;
    shape.append({type.getDimSize(dim) / tile, tile});
    inner[index] = position + 1;
    groups.back().push_back(position + 1);
  }
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    result.permutation.push_back(outer[order.empty() ? dim : order[dim]]);
  result.permutation.append(inner);
  auto expanded = RankedTensorType::get(shape, type.getElementType());
  result.view = tensor::ExpandShapeOp::create(b, op.getLoc(), expanded, plain, groups);
  return result;
}

/// Only loops of schedules have a mapping to blocks and cores.
bool isOfSchedule(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForallOp>(); loop;
       loop = loop->getParentOfType<scf::ForallOp>())
    if (loop.getMappingAttr())
      return true;
  return false;
}

LogicalResult lowerLocal(linalg::PackOp pack) {
  OpBuilder b(pack);
  std::optional<ExpandedTensor> source = expand(b, pack, pack.getSource());
  if (!source)
    return pack.emitError(
        "a pack between memories needs tiles that divide its source; pad it first");
  auto transpose = linalg::TransposeOp::create(b, pack.getLoc(), source->view, pack.getDest(),
                                               source->permutation);
  pack.replaceAllUsesWith(transpose->getResult(0));
  pack.erase();
  return success();
}

LogicalResult lowerLocal(linalg::UnPackOp unpack) {
  OpBuilder b(unpack);
  Value dest = unpack.getDest();
  while (auto fill = dest.getDefiningOp<linalg::FillOp>()) // all of it is overwritten
    dest = fill.getDpsInits()[0];
  std::optional<ExpandedTensor> into = expand(b, unpack, dest);
  if (!into)
    return unpack.emitError("an unpack between memories needs tiles that divide its result");
  auto transpose = linalg::TransposeOp::create(b, unpack.getLoc(), unpack.getSource(), into->view,
                                               invertPermutationVector(into->permutation));
  Value result = tensor::CollapseShapeOp::create(b, unpack.getLoc(), unpack.getDestType(),
                                                 transpose->getResult(0),
                                                 into->view.getReassociationIndices());
  unpack.replaceAllUsesWith(result);
  unpack.erase();
  return success();
}

} // namespace

FailureOr<int64_t> lowerLocalPacks(func::FuncOp func) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isa<linalg::PackOp, linalg::UnPackOp>(op) && isOfSchedule(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    auto pack = dyn_cast<linalg::PackOp>(op);
    if (failed(pack ? lowerLocal(pack) : lowerLocal(cast<linalg::UnPackOp>(op))))
      return failure();
  }
  return static_cast<int64_t>(ops.size());
}

} // namespace kgen
