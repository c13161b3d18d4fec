#include "dialect/kgen/UnitDims.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

SmallVector<int64_t> withoutUnitDims(ArrayRef<int64_t> shape) {
  return llvm::to_vector(llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

SmallVector<ReassociationIndices> unitDimGroups(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices first;
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    if (size != 1)
      groups.emplace_back();
    (groups.empty() ? first : groups.back()).push_back(dimension);
  }
  if (!groups.empty())
    groups[0].insert(groups[0].begin(), first.begin(), first.end());
  return groups;
}

Value dropUnitDims(OpBuilder &b, Location loc, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!llvm::is_contained(type.getShape(), 1))
    return value;
  return tensor::CollapseShapeOp::create(b, loc, type.clone(withoutUnitDims(type.getShape())),
                                         value, unitDimGroups(type.getShape()));
}

Value addUnitDims(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape) {
  if (!llvm::is_contained(shape, 1))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), value, unitDimGroups(shape));
}

Value inShape(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape) {
  value = dropUnitDims(b, loc, value);
  auto type = cast<RankedTensorType>(value.getType()), wanted = type.clone(withoutUnitDims(shape));
  if (type != wanted) {
    auto groups = *getReassociationIndicesForReshape(type, wanted);
    if (type.getRank() < wanted.getRank())
      value = tensor::ExpandShapeOp::create(b, loc, wanted, value, groups);
    else
      value = tensor::CollapseShapeOp::create(b, loc, wanted, value, groups);
  }
  return addUnitDims(b, loc, value, shape);
}

} // namespace kgen
