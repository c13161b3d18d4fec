#include "transforms/layout/FrontScales.h"

#include "dialect/kgen/NamedOps.h"
#include "transforms/layout/ChannelFunctions.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

namespace {

ArrayRef<int64_t> shapeOf(Value tensor) { return cast<ShapedType>(tensor.getType()).getShape(); }

} // namespace

void dropBodyFunction(linalg::LinalgOp op, unsigned input, Value value) {
  Value argument = op.getBlock()->getArgument(input);
  if (argument == value)
    return; // elements are only moved
  IRRewriter rewriter(op->getContext());
  rewriter.setInsertionPoint(op);
  if (!isa<linalg::GenericOp, linalg::MapOp>(op.getOperation()))
    (void)linalg::generalizeNamedOp(rewriter, op); // with the same body
  value.replaceAllUsesWith(argument);
}

FrontScales::FrontScales(linalg::LinalgOp op, unsigned weights)
    : context(op->getContext()),
      weightsMap(op.getMatchingIndexingMap(op.getDpsInputOperand(weights))),
      weightShape(shapeOf(op.getDpsInputs()[weights])), strides(weightShape.size(), 0),
      value(op.getDpsInputs()[1 - weights]) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(1 - weights));
  // If the weights are the same along a loop, the operand is only summed up.
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction &&
        !weightsMap.isFunctionOfDim(loop))
      return;
  int64_t count = 1;
  for (auto d = static_cast<int64_t>(weightShape.size()) - 1; d >= 0; --d)
    if (map.isFunctionOfDim(weightsMap.getDimPosition(d))) {
      strides[d] = count;
      count *= weightShape[d];
    }
  factors.assign(count, 1);
  at.assign(map.getResults().begin(), map.getResults().end());
  while (value.hasOneUse() && value.getDefiningOp() &&
         value.getDefiningOp()->getBlock() == op->getBlock()) {
    Operation *before = value.getDefiningOp();
    auto computed = dyn_cast<linalg::LinalgOp>(before);
    if (!(computed ? throughElementwise(computed) : throughReshape(before) || throughPad(before))) {
      // Scales are fused with what computes the operand for them alone.
      isFree = computed || isNamedOp(before);
      return;
    }
  }
}

bool FrontScales::throughReshape(Operation *op) {
  SmallVector<AffineExpr> before;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    before.resize(shape.size());
    for (auto [g, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      AffineExpr left = at[g];
      for (int64_t d : llvm::reverse(left ? ArrayRef<int64_t>(group) : ArrayRef<int64_t>())) {
        before[d] = left % shape[d];
        left = left.floorDiv(shape[d]);
      }
    }
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
      AffineExpr index = getAffineConstantExpr(0, context);
      for (int64_t d : group)
        if (index && shape[d] != 1)
          index = at[d] ? index * shape[d] + at[d] : AffineExpr();
      before.push_back(index);
    }
  } else {
    return false;
  }
  at = std::move(before);
  value = op->getOperand(0);
  return true;
}

/// Zeros stay zeros. Where they are added, indices are others.
bool FrontScales::throughPad(Operation *op) {
  auto pad = dyn_cast<tensor::PadOp>(op);
  Value number = pad ? pad.getConstantPaddingValue() : Value();
  if (!number || !matchPattern(number, m_AnyZeroFloat()))
    return false;
  for (auto [d, low, high] : llvm::enumerate(pad.getStaticLow(), pad.getStaticHigh()))
    if (low != 0 || high != 0)
      at[d] = AffineExpr();
  value = pad.getSource();
  return true;
}

bool FrontScales::throughElementwise(linalg::LinalgOp op) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || !out.isPermutation() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  auto isOfWeights = [&](AffineExpr index) {
    for (unsigned loop = 0; index && loop < weightsMap.getNumDims(); ++loop)
      if (index.isFunctionOfDim(loop) && !weightsMap.isFunctionOfDim(loop))
        return false;
    return static_cast<bool>(index);
  };
  Channels loops{1, SmallVector<int64_t>(op.getNumLoops(), 0)};
  SmallVector<int64_t> byDim(at.size(), 0);
  for (auto d = static_cast<int64_t>(at.size()) - 1; d >= 0; --d)
    if (isOfWeights(at[d])) {
      loops.strides[out.getDimPosition(d)] = byDim[d] = loops.count;
      loops.count *= shapeOf(value)[d];
    }
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap in = op.getMatchingIndexingMap(operand);
    if (!in.isPermutation() || getElementTypeOrSelf(operand->get()) != getElementTypeOrSelf(value))
      continue;
    ChannelFunctions functions(op, operand->getOperandNumber(), loops);
    Value yielded = op.getBlock()->getTerminator()->getOperand(0);
    if (!functions.last() || functions.last() != yielded)
      continue;
    const ChannelFunction &f = functions.function();
    bool isScale = llvm::any_of(f.factor, [](double factor) { return factor != 1; });
    if (llvm::any_of(f.term, [](double term) { return term != 0; })) {
      if (isScale)
        shift = op;
      return false;
    }
    multiply(f.factor, byDim);
    steps.push_back({op, operand});
    if (isScale)
      found.push_back(op);
    SmallVector<AffineExpr> before(at.size());
    for (unsigned d = 0; d < in.getNumResults(); ++d)
      before[d] = at[*out.getResultPosition(in.getResult(d))];
    at = std::move(before);
    value = operand->get();
    return true;
  }
  return false;
}

/// Multiplies each weight's factor by that of the channel that the operand is read at.
void FrontScales::multiply(ArrayRef<double> by, ArrayRef<int64_t> byDim) {
  SmallVector<AffineExpr> indices;
  SmallVector<int64_t> channelStrides;
  for (auto [index, stride] : llvm::zip(at, byDim))
    if (stride != 0) {
      indices.push_back(index);
      channelStrides.push_back(stride);
    }
  AffineMap map = AffineMap::get(weightsMap.getNumDims(), 0, indices, context);
  SmallVector<int64_t> index(weightShape.size(), 0), loops(weightsMap.getNumDims(), 0), shape;
  for (auto [size, stride] : llvm::zip(weightShape, strides))
    shape.push_back(stride == 0 ? 1 : size); // one of those that have the same factor
  for (double &factor : factors) {
    for (auto [d, i] : llvm::enumerate(index))
      loops[weightsMap.getDimPosition(d)] = i;
    int64_t channel = 0;
    for (auto [i, stride] : llvm::zip(map.compose(loops), channelStrides))
      channel += i * stride;
    factor *= by[channel];
    advance(index, shape);
  }
}

bool FrontScales::hasScale() const {
  return !isFree && llvm::any_of(factors, [](double factor) { return factor != 1; });
}

double FrontScales::factorOf(ArrayRef<int64_t> weight) const {
  if (factors.empty() || isFree)
    return 1;
  int64_t i = 0;
  for (auto [index, stride] : llvm::zip(weight, strides))
    i += index * stride;
  return factors[i];
}

void FrontScales::drop() {
  if (isFree)
    return;
  for (const Step &step : steps) {
    linalg::LinalgOp op = step.op;
    bool isInPlace =
        op.getMatchingIndexingMap(step.input) == op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (isInPlace)
      op->getResult(0).replaceAllUsesWith(step.input->get());
    else
      dropBodyFunction(op, step.input->getOperandNumber(),
                       op.getBlock()->getTerminator()->getOperand(0));
  }
}

} // namespace kgen
