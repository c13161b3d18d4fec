// Tensors in a different shape: constants, tensors of numbers, and those with sizes that are known
// at run time only.
#include "ops/Lowering.h"

#include "dialect/kgen/EmptyTensor.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {

/// The constant in a different shape, or null if the value is no constant.
static Value reshapeConstant(OpBuilder &b, Location loc, Value value, RankedTensorType type) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    auto reshaped = DenseResourceElementsAttr::get(type, resource.getRawHandle());
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(Attribute(reshaped)));
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(Attribute(dense.reshape(type))));
  return {};
}

Value reshaped(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(shape, from.getElementType());
  assert(from.getNumElements() == to.getNumElements());
  if (from == to)
    return value;
  if (to.getNumElements() == 0)
    return emptyTensor(b, loc, shape, to.getElementType());
  if (Value constant = reshapeConstant(b, loc, value, to))
    return constant;
  if (from.getRank() != to.getRank())
    if (auto groups = getReassociationIndicesForReshape(from, to)) {
      if (from.getRank() > to.getRank())
        return tensor::CollapseShapeOp::create(b, loc, to, value, *groups);
      return tensor::ExpandShapeOp::create(b, loc, to, value, *groups);
    }
  // No direct grouping of dimensions (2x3 to 3x2): by way of a vector, which always has one.
  Value flat = reshaped(b, loc, value, {from.getNumElements()});
  return reshaped(b, loc, flat, shape);
}

/// Returns what both shapes can be made of by joining dimensions that follow each other: the ends
/// of the groups in each.
static SmallVector<std::pair<size_t, size_t>> commonGroups(const TensorShape &from,
                                                           const TensorShape &to) {
  SmallVector<std::pair<size_t, size_t>> ends;
  size_t done = 0;
  for (size_t i = 1; i <= from.size(); ++i)
    for (size_t j = done + 1; j <= to.size(); ++j)
      if (from.elements(0, i) == to.elements(0, j)) {
        ends.push_back({i, j});
        done = j;
        break;
      }
  assert(!ends.empty() && "the numbers of elements differ");
  ends.back() = {from.size(), to.size()}; // dimensions of one element follow
  return ends;
}

/// Dimensions that become one: those of `shape` up to each end.
static SmallVector<ReassociationIndices> groupsUpTo(ArrayRef<size_t> ends) {
  SmallVector<ReassociationIndices> groups;
  size_t begin = 0;
  for (size_t end : ends) {
    groups.emplace_back();
    for (; begin < end; ++begin)
      groups.back().push_back(static_cast<int64_t>(begin));
  }
  return groups;
}

Value withShape(OpBuilder &b, Location loc, Value value, const TensorShape &shape) {
  TensorShape from = tensorShapeOf(value);
  if (from.isStatic() && shape.isStatic())
    return reshaped(b, loc, value, shape.numbers());
  Type element = getElementTypeOrSelf(value);
  SmallVector<size_t> fromEnds, toEnds;
  TensorShape joined;
  for (auto [i, j] : commonGroups(from, shape)) {
    joined.push_back(from.elements(fromEnds.empty() ? 0 : fromEnds.back(), i));
    fromEnds.push_back(i);
    toEnds.push_back(j);
  }
  if (joined.size() < from.size())
    value = tensor::CollapseShapeOp::create(b, loc, tensorOf(joined, element), value,
                                            groupsUpTo(fromEnds));
  if (joined.size() < shape.size())
    value = tensor::ExpandShapeOp::create(b, loc, tensorOf(shape, element), value,
                                          groupsUpTo(toEnds), sizeValues(b, shape));
  return value;
}

} // namespace kgen
