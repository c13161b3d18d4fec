#include "transforms/vectorize/VectorAddresses.h"

#include "analysis/IndexRange.h"

using namespace mlir;

namespace kgen {

VectorAddresses::VectorAddresses(linalg::GenericOp op) : op(op) {
  for (Operation &inner : llvm::reverse(op.getBody()->without_terminator())) {
    bool isIndex = inner.getNumResults() == 1 && indexValues.contains(inner.getResult(0));
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      indexValues.insert_range(extract.getIndices());
    else if (isIndex)
      indexValues.insert_range(inner.getOperands());
  }
}

/// True if an index is also used as a value.
bool VectorAddresses::escapes(Value value) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::ExtractOp>(user))
      return false;
    return user->getNumResults() != 1 || !indexValues.contains(user->getResult(0));
  });
}

bool VectorAddresses::isUniform(Value value) const { return !varying.contains(value); }

std::optional<int64_t> VectorAddresses::laneStride(Value value) const {
  if (isUniform(value))
    return 0;
  auto known = strides.find(value);
  return known == strides.end() ? std::nullopt : std::optional(known->second);
}

std::optional<int64_t> VectorAddresses::computeLaneStride(Value index) const {
  LinearIndex linear(index);
  int64_t stride = 0;
  for (auto [value, factor] : linear.getTerms()) {
    std::optional<int64_t> step = value == index ? std::nullopt : laneStride(value);
    if (!step)
      return std::nullopt;
    stride += factor * *step;
  }
  return stride;
}

void VectorAddresses::setVectorDim(int64_t dimension) {
  strides.clear();
  varying.clear();
  if (dimension < 0)
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(dimension))
      varying.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inner : op.getBody()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    bool varies = index ? static_cast<int64_t>(index.getDim()) == dimension
                        : llvm::any_of(inner.getOperands(), [&](Value v) { return !isUniform(v); });
    if (!varies)
      continue;
    if (auto step = index ? std::optional<int64_t>(1) : computeLaneStride(inner.getResult(0)))
      strides[inner.getResult(0)] = *step;
    varying.insert_range(inner.getResults());
  }
}

bool readsWholeBytes(tensor::ExtractOp extract) {
  auto type = dyn_cast<RankedTensorType>(extract.getTensor().getType());
  return type && type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() % 8 == 0;
}

} // namespace kgen
