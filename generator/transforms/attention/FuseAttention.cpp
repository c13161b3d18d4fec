// Two products and the softmax between them as one operation.
#include "transforms/Passes.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "transforms/Passes.h.inc"

namespace {

/// Gathers what is needed, then makes the operation.
class Fusion {
public:
  Fusion(tpp::GemmOp second, TargetAttr target)
      : second(second), target(target), b(second.getOperation()) {}

  bool match();
  void build();

private:
  struct Operand {
    Value value;
    AffineMap map;
  };
  Value weightsOf(Value operand);
  bool matchOperands(Value weights);
  bool matchSteps();
  Operand operand(Value value, AffineMap map, const Groups &groups);
  void readThroughCopies(Operand &operand, int64_t last);
  void writeThroughCopies();
  AffineMap mapTo(ArrayRef<unsigned> dimensions) const;
  Value scoreOf(linalg::GenericOp step, Value tensor, Value below, mlir::Block *body,
                unsigned &argument);

  tpp::GemmOp second;
  TargetAttr target;
  OpBuilder b;
  Chain chain;
  unsigned rank = 0;          ///< of the scores
  SmallVector<int64_t> sizes; ///< of the iteration space
  Operand q, k, v, result;    ///< of the result, the value that is replaced
  std::optional<int64_t> causal;
  SmallVector<Operand> extras;
  Groups ofWeights; ///< the dimensions of the scores that those of the second product's A are
  Type narrow;      ///< to which operands of the products are rounded, or null
};

AffineMap Fusion::mapTo(ArrayRef<unsigned> dimensions) const {
  SmallVector<AffineExpr> results;
  for (unsigned dimension : dimensions)
    results.push_back(getAffineDimExpr(dimension, b.getContext()));
  return AffineMap::get(rank + 2, 0, results, b.getContext());
}

/// An operand of a product, by the dimensions of the scores: `groups` says what those of the
/// product stand for.
Fusion::Operand Fusion::operand(Value value, AffineMap map, const Groups &groups) {
  SmallVector<unsigned> dimensions;
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<int64_t> shape;
  for (AffineExpr expr : map.getResults()) {
    reassociation.emplace_back();
    for (unsigned dimension : groups[cast<AffineDimExpr>(expr).getPosition()]) {
      reassociation.back().push_back(dimensions.size());
      dimensions.push_back(dimension);
      shape.push_back(sizes[dimension]);
    }
  }
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (dimensions.size() == map.getNumResults())
    return {value, mapTo(dimensions)};
  if (collapse && collapse.getReassociationIndices() == reassociation &&
      collapse.getSrcType().getShape() == ArrayRef(shape))
    return {collapse.getSrc(), mapTo(dimensions)};
  auto type = RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  return {tensor::ExpandShapeOp::create(b, value.getLoc(), type, value, reassociation),
          mapTo(dimensions)};
}

/// Reads what a transposition or a broadcast reads, where rows stay contiguous: `last` is the
/// dimension along them, or -1 if any will do. What they round is rounded before.
void Fusion::readThroughCopies(Operand &operand, int64_t last) {
  Operand found = operand;
  while (auto copy = found.value.getDefiningOp<linalg::GenericOp>()) {
    if (!isCopy(copy, /*mayNarrow=*/narrow != nullptr))
      break;
    AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
    AffineMap composed = read.compose(found.map);
    bool isKept = composed.getNumResults() > 0 &&
                  (last < 0 || composed.getDimPosition(composed.getNumResults() - 1) == last);
    for (unsigned dimension = rank - 2; dimension < rank + 2; ++dimension)
      isKept &= composed.isFunctionOfDim(dimension) == found.map.isFunctionOfDim(dimension);
    if (!isKept)
      break;
    found = {copy.getDpsInputs()[0], composed};
  }
  if (found.map != operand.map)
    operand = {inElementType(b, found.value, narrow), found.map};
}

/// Writes what a transposition or a rounding of the result writes.
void Fusion::writeThroughCopies() {
  while (result.value.hasOneUse()) {
    auto copy = dyn_cast<linalg::GenericOp>(*result.value.user_begin());
    if (!isCopy(copy, /*mayNarrow=*/true))
      return;
    AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
    if (!read.isPermutation())
      return;
    AffineMap composed = inversePermutation(read).compose(result.map);
    if (composed.getDimPosition(rank - 1) != rank + 1)
      return;
    result = {copy.getResult(0), composed};
  }
}

/// The weights of the second product, before a rounding and a reshape of their batch; null if there
/// is something else.
Value Fusion::weightsOf(Value operand) {
  bool isReshaped = false;
  ofWeights = singles(rankOf(operand));
  while (operand.hasOneUse()) {
    auto copy = operand.getDefiningOp<linalg::GenericOp>();
    if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>(); collapse && !isReshaped) {
      isReshaped = true;
      ofWeights = groupsOf(collapse.getReassociationIndices());
      operand = collapse.getSrc();
    } else if (isCopy(copy, /*mayNarrow=*/true) &&
               copy.getMatchingIndexingMap(copy.getDpsInputOperand(0)).isIdentity()) {
      operand = copy.getDpsInputs()[0];
    } else {
      return operand;
    }
  }
  return {};
}

bool Fusion::matchOperands(Value weights) {
  AffineMap map = second.getAMap();
  unsigned batch = second.getBatchRank(), m = batch, n = batch + 1, depth = batch + 2;
  unsigned last = map.getNumResults() - 1;
  if (last != batch + 1 || !map.isProjectedPermutation() || map.getDimPosition(last - 1) != m ||
      map.getDimPosition(last) != depth || !second.getBMap().isFunctionOfDim(n))
    return false;
  tpp::GemmOp first = chain.product;
  // Reshapes leave queries and keys alone.
  for (const Groups &groups : {ofWeights, chain.groups})
    if (groups.size() < 2 || groups.back().size() != 1 || groups[groups.size() - 2].size() != 1)
      return false;
  unsigned row = first.getBatchRank(), column = row + 1;
  if (!first.getBMap().isFunctionOfDim(column) || first.getBMap().isFunctionOfDim(row) ||
      first.getAMap().isFunctionOfDim(column) || !first.getAMap().isFunctionOfDim(row))
    return false;
  sizes = llvm::to_vector(cast<ShapedType>(weights.getType()).getShape());
  sizes.append({first.getK(), second.getN()});
  Groups ofFirst = chain.groups, ofSecond(batch + 3);
  ofFirst.push_back({rank});
  for (unsigned position = 0; position <= last; ++position)
    ofSecond[map.getDimPosition(position)] = ofWeights[position];
  ofSecond[n] = {rank + 1};
  q = operand(first.getA(), first.getAMap(), ofFirst);
  k = operand(first.getB(), first.getBMap(), ofFirst);
  v = operand(second.getB(), second.getBMap(), ofSecond);
  SmallVector<unsigned> written;
  for (unsigned dimension = 0; dimension < batch + 2; ++dimension)
    llvm::append_range(written, ofSecond[dimension]);
  result = {second.getResult(0), mapTo(written)};
  if (written.size() != batch + 2) {
    auto expand = result.value.hasOneUse()
                      ? dyn_cast<tensor::ExpandShapeOp>(*result.value.user_begin())
                      : nullptr;
    SmallVector<int64_t> shape;
    for (unsigned dimension : written)
      shape.push_back(sizes[dimension]);
    if (!expand || expand.getResultType().getShape() != ArrayRef(shape))
      return false;
    result.value = expand.getResult();
  }
  readThroughCopies(q, rank);
  readThroughCopies(k, -1);
  readThroughCopies(v, rank + 1);
  writeThroughCopies();
  return q.map.getDimPosition(q.map.getNumResults() - 1) == rank &&
         v.map.getDimPosition(v.map.getNumResults() - 1) == rank + 1;
}

/// Whether all that happens to the scores can be done to one of them at a time.
bool Fusion::matchSteps() {
  Value below = chain.unscaled;
  for (linalg::GenericOp step : chain.steps) {
    auto mask = causalMask(step);
    if (mask && step == chain.steps.back())
      causal = mask->offset;
    else if (step.hasIndexSemantics())
      return false;
    for (Operation &inner : step.getBody()->without_terminator())
      if (!OpTrait::hasElementwiseMappableTraits(&inner) &&
          !inner.hasTrait<OpTrait::ConstantLike>() && !isa<linalg::IndexOp>(inner))
        return false;
    SetVector<Value> outside;
    getUsedValuesDefinedAbove(step.getRegion(), outside);
    for (Value value : outside)
      if (!value.getDefiningOp() || !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>())
        return false;
    for (OpOperand *input : step.getDpsInputOperands()) {
      AffineMap map = step.getMatchingIndexingMap(input);
      if (input->get() == below || splatOf(input->get()))
        continue;
      Type element = getElementTypeOrSelf(input->get().getType());
      if (!isa<RankedTensorType>(input->get().getType()) || !map.isProjectedPermutation() ||
          !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
        return false;
      extras.push_back(operand(input->get(), map, singles(rank)));
    }
    below = step.getResult(0);
  }
  return true;
}

bool Fusion::match() {
  if (!isPlain(second))
    return false;
  Value weights = weightsOf(second.getA());
  Value scores = weights ? softmaxOf(weights) : Value();
  std::optional<Chain> found = scores ? chainOf(scores) : std::nullopt;
  if (!found)
    return false;
  chain = *found;
  rank = rankOf(scores);
  auto shape = cast<RankedTensorType>(scores.getType()).getShape();
  Type sums = chain.product.getAccumulatorType();
  if (sums != second.getAccumulatorType() || llvm::is_contained(shape, 0) ||
      chain.product.getK() == 0 || second.getN() == 0)
    return false;
  auto hasType = [](Type type) {
    return [type](Value value) { return getElementTypeOrSelf(value.getType()) == type; };
  };
  Type stored = getElementTypeOrSelf(second.getA().getType());
  SmallVector<Value> operands{chain.product.getA(), chain.product.getB(), second.getB()};
  if (stored != sums && llvm::all_of(operands, hasType(stored)))
    narrow = stored;
  // A lane is a query: with few of them, vectors would be mostly empty.
  if (2 * chain.product.getM() < target.lanes(sums))
    return false;
  return matchOperands(weights) && matchSteps();
}

/// The score after a step, in the body of the new operation; `argument` is the next of its extras.
Value Fusion::scoreOf(linalg::GenericOp step, Value tensor, Value below, mlir::Block *body,
                      unsigned &argument) {
  IRMapping mapping;
  for (OpOperand *input : step.getDpsInputOperands()) {
    BlockArgument scalar = step.getMatchingBlockArgument(input);
    if (input->get() == tensor)
      mapping.map(scalar, below);
    else if (TypedAttr splat = splatOf(input->get()))
      mapping.map(scalar, arith::ConstantOp::create(b, step.getLoc(), splat).getResult());
    else
      mapping.map(scalar, body->getArgument(argument++));
  }
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(step.getRegion(), outside);
  for (Value constant : outside)
    mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
  bool isMask = step == chain.steps.back() && causal;
  for (Operation &inner : step.getBody()->without_terminator()) {
    // What compares indices is left out.
    bool isKnown = llvm::all_of(inner.getOperands(), [&](Value operand) {
      return operand.getParentBlock() != step.getBody() || mapping.contains(operand);
    });
    if (isa<linalg::IndexOp>(inner) || !isKnown)
      continue;
    if (auto widened = dyn_cast<arith::ExtFOp>(inner))
      if (Value wide = unrounded(mapping.lookupOrDefault(widened.getIn()), widened.getType())) {
        mapping.map(widened.getResult(), wide);
        continue;
      }
    b.clone(inner, mapping);
  }
  return mapping.lookupOrDefault(isMask ? causalMask(step)->score : yielded(step));
}

void Fusion::build() {
  b.setInsertionPoint(result.value.getDefiningOp());
  SmallVector<Location> parts{chain.product.getLoc()};
  for (linalg::GenericOp step : chain.steps)
    parts.push_back(step.getLoc());
  parts.append({second.getA().getLoc(), second.getLoc()});
  Location loc = b.getFusedLoc(parts);
  Type sums = second.getAccumulatorType();
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  SmallVector<Type> types{sums};
  for (const Operand &extra : extras) {
    values.push_back(extra.value);
    maps.push_back(extra.map);
    types.push_back(getElementTypeOrSelf(extra.value));
  }
  auto attention =
      AttentionOp::create(b, loc, result.value.getType(), q.value, k.value, v.value, values, q.map,
                          k.map, v.map, b.getAffineMapArrayAttr(maps), result.map,
                          causal ? b.getI64IntegerAttr(*causal) : IntegerAttr(),
                          narrow ? TypeAttr::get(narrow) : TypeAttr());
  mlir::Block *body =
      b.createBlock(&attention.getScore(), {}, types, SmallVector<Location>(types.size(), loc));
  Value score = body->getArgument(0), tensor = chain.unscaled;
  unsigned argument = 1;
  for (linalg::GenericOp step : chain.steps) {
    score = scoreOf(step, tensor, score, body, argument);
    tensor = step.getResult(0);
  }
  if (Value wide = unrounded(score, sums))
    score = wide;
  else if (score.getType() != sums)
    score = arith::ExtFOp::create(b, loc, sums, score);
  YieldOp::create(b, loc, score);
  result.value.replaceAllUsesWith(attention.getResult());
}

struct FuseAttentionPass : impl::FuseAttentionPassBase<FuseAttentionPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<tpp::GemmOp> products;
    getOperation().walk([&](tpp::GemmOp op) { products.push_back(op); });
    for (tpp::GemmOp second : products) {
      Fusion fusion(second, target);
      if (fusion.match())
        fusion.build();
    }
    // What led to the results before has no effects, and nobody who reads it.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
} // namespace kgen
