// Two products and the softmax between them as one operation.
#include "dialect/kgen/Decisions.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEATTENTIONPASS
#include "transforms/Passes.h.inc"

namespace {

/// The value below conversions between floats that no rounding mode was asked for.
Value unconverted(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto narrowed = dyn_cast<arith::TruncFOp>(op);
    if (!isa<arith::ExtFOp>(op) && !(narrowed && !narrowed.getRoundingmode()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The input or output that a value in the body is, or null.
OpOperand *operandOf(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(unconverted(value));
  return argument && argument.getOwner() == op.getBody() ? op.getMatchingOpOperand(argument)
                                                         : nullptr;
}

Value yielded(linalg::GenericOp op) { return op.getBody()->getTerminator()->getOperand(0); }

bool isOfTensors(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumResults() == 1;
}

/// A generic over all dimensions of its result.
bool isElementwise(linalg::GenericOp op) {
  return isOfTensors(op) && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

/// Whether a map reads all dimensions but the last.
bool dropsLast(AffineMap map) {
  return map == AffineMap::getMultiDimIdentityMap(map.getNumDims(), map.getContext()).dropResults({map.getNumDims() - 1});
}

/// Whether `value` is filled with a number.
bool isFilledWith(Value value, const APFloat &number) {
  Value filling;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    filling = fill.getInputs()[0];
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (isOfTensors(generic) && generic.getNumDpsInputs() == 0)
    filling = yielded(generic);
  APFloat found(0.0f);
  if (!filling || !matchPattern(filling, m_ConstantFloat(&found)))
    return false;
  bool lost;
  found.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return found.bitwiseIsEqual(number);
}

/// Whether `reduced` combines the last dimension of `source` by `Op` alone.
template <typename Op> bool reducesLast(Value reduced, Value source, double neutral) {
  auto op = reduced.getDefiningOp<linalg::GenericOp>();
  if (!isOfTensors(op) || op.getNumDpsInputs() != 1 || op.getDpsInputs()[0] != source ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() ||
      !dropsLast(op.getMatchingIndexingMap(op.getDpsInitOperand(0))))
    return false;
  auto combine = unconverted(yielded(op)).getDefiningOp<Op>();
  if (!combine)
    return false;
  SmallPtrSet<OpOperand *, 2> both{operandOf(op, combine.getLhs()),
                                   operandOf(op, combine.getRhs())};
  return both.contains(op.getDpsInputOperand(0)) && both.contains(op.getDpsInitOperand(0)) &&
         isFilledWith(op.getDpsInits()[0], APFloat(neutral));
}

/// Of an elementwise operation of two tensors, `Op` of an element of the first and one of the second,
/// which has no last dimension: the two tensors.
template <typename Op>
std::optional<std::pair<Value, Value>> combinedRows(linalg::GenericOp op, Value result) {
  auto combine = unconverted(result).getDefiningOp<Op>();
  if (!combine)
    return std::nullopt;
  OpOperand *left = operandOf(op, combine.getLhs()), *right = operandOf(op, combine.getRhs());
  if (!left || !right || !op.getMatchingIndexingMap(left).isIdentity() ||
      !dropsLast(op.getMatchingIndexingMap(right)))
    return std::nullopt;
  return std::pair(left->get(), right->get());
}

/// The tensor that `weights` is the softmax of along its last dimension, if nothing else reads what
/// is computed on the way.
Value softmaxOf(Value weights) {
  auto quotient = weights.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(quotient) || quotient.getNumDpsInputs() != 2 || !weights.hasOneUse())
    return {};
  auto quotientOf = combinedRows<arith::DivFOp>(quotient, yielded(quotient));
  if (!quotientOf)
    return {};
  auto [powers, sum] = *quotientOf;
  auto power = powers.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(power) || power.getNumDpsInputs() != 2 || !powers.hasNUses(2) ||
      !reducesLast<arith::AddFOp>(sum, powers, 0.0) || !sum.hasOneUse())
    return {};
  auto exp = unconverted(yielded(power)).getDefiningOp<math::ExpOp>();
  auto difference = exp ? combinedRows<arith::SubFOp>(power, exp.getOperand()) : std::nullopt;
  if (!difference)
    return {};
  auto [scores, largest] = *difference;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!scores.hasNUses(2) || !largest.hasOneUse() ||
      !reducesLast<arith::MaximumFOp>(largest, scores, -infinity))
    return {};
  return scores;
}

/// A product of two tensors, and nothing else.
bool isPlain(tpp::GemmOp gemm) {
  return gemm && isa<RankedTensorType>(gemm.getInit().getType()) && !gemm.getPanel() &&
         !gemm.getAccumulate() && !gemm.getSequential() && !gemm.getReduced() &&
         gemm.hasTrivialEpilogue() && gemm.getExtras().empty() &&
         isa<FloatType>(gemm.getAccumulatorType());
}

/// What stands between the first product and the softmax: elementwise operations, the last one first.
struct Chain {
  tpp::GemmOp product;
  SmallVector<linalg::GenericOp> steps;
};

/// Follows `scores` down to a product.
std::optional<Chain> chainOf(Value scores) {
  Chain chain;
  if ((chain.product = scores.getDefiningOp<tpp::GemmOp>()))
    return isPlain(chain.product) ? std::optional(chain) : std::nullopt;
  auto step = scores.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(step))
    return std::nullopt;
  for (OpOperand *input : step.getDpsInputOperands()) {
    AffineMap map = step.getMatchingIndexingMap(input);
    if (!map.isIdentity() || !input->get().hasOneUse())
      continue;
    if (auto below = chainOf(input->get())) {
      below->steps.push_back(step);
      return below;
    }
  }
  return std::nullopt;
}

/// A mask of keys that come after the query: `select(key <= query + offset, score, -inf)`.
struct CausalMask {
  Value score;
  int64_t offset;
};

std::optional<CausalMask> causalMask(linalg::GenericOp op) {
  auto select = yielded(op).getDefiningOp<arith::SelectOp>();
  APFloat other(0.0f);
  if (!select || !matchPattern(select.getFalseValue(), m_ConstantFloat(&other)) ||
      !other.isInfinity() || !other.isNegative())
    return std::nullopt;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::sle)
    return std::nullopt;
  int64_t offset = 0;
  Value last = compare.getRhs();
  if (auto sum = last.getDefiningOp<arith::AddIOp>()) {
    APInt constant;
    if (!matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
      return std::nullopt;
    offset = constant.getSExtValue();
    last = sum.getLhs();
  }
  auto key = compare.getLhs().getDefiningOp<linalg::IndexOp>();
  auto query = last.getDefiningOp<linalg::IndexOp>();
  unsigned rank = op.getNumLoops();
  if (!key || !query || key.getDim() != rank - 1 || query.getDim() != rank - 2 || offset < 0)
    return std::nullopt;
  return CausalMask{select.getTrueValue(), offset};
}

/// Gathers what is needed, then makes the operation.
class Fusion {
public:
  Fusion(tpp::GemmOp second, TargetAttr target) : second(second), target(target) {}

  bool match();
  void build();

private:
  bool matchMaps();
  bool matchSteps();
  void readThroughCopies(Value &value, AffineMap &map, int64_t last);
  void writeThroughCopy();
  AffineMap renamed(AffineMap map, ArrayRef<unsigned> names) const;
  Value scoreOf(OpBuilder &b, linalg::GenericOp step, Value below, Block *body, unsigned &argument);

  tpp::GemmOp second;
  TargetAttr target;
  Chain chain;
  unsigned rank = 0; ///< of the scores
  Value q, k, v, result;
  AffineMap qMap, kMap, vMap, resultMap;
  std::optional<int64_t> causal;
  SmallVector<Value> extras;
  SmallVector<AffineMap> extraMaps;
};

/// The same results over the dimensions of the operation; `names` says which those are.
AffineMap Fusion::renamed(AffineMap map, ArrayRef<unsigned> names) const {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(
        getAffineDimExpr(names[cast<AffineDimExpr>(expr).getPosition()], map.getContext()));
  return AffineMap::get(rank + 2, 0, results, map.getContext());
}

/// Reads what a transposition or a broadcast reads, where rows stay contiguous.
void Fusion::readThroughCopies(Value &value, AffineMap &map, int64_t last) {
  while (auto copy = value.getDefiningOp<linalg::GenericOp>()) {
    if (!isElementwise(copy) || copy.getNumDpsInputs() != 1 ||
        yielded(copy) != copy.getRegionInputArgs()[0])
      return;
    AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
    if (!read.isProjectedPermutation())
      return;
    AffineMap composed = read.compose(map);
    bool isKept = composed.getNumResults() > 0 &&
                  (last < 0 || composed.getDimPosition(composed.getNumResults() - 1) == last);
    for (unsigned dimension = rank - 2; dimension < rank + 2; ++dimension)
      isKept &= composed.isFunctionOfDim(dimension) == map.isFunctionOfDim(dimension);
    if (!isKept)
      return;
    value = copy.getDpsInputs()[0];
    map = composed;
  }
}

/// Writes what a transposition of the result writes.
void Fusion::writeThroughCopy() {
  if (!result.hasOneUse())
    return;
  auto copy = dyn_cast<linalg::GenericOp>(*result.user_begin());
  if (!copy || !isElementwise(copy) || copy.getNumDpsInputs() != 1 ||
      yielded(copy) != copy.getRegionInputArgs()[0])
    return;
  AffineMap read = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
  if (!read.isPermutation())
    return;
  AffineMap composed = inversePermutation(read).compose(resultMap);
  if (composed.getDimPosition(rank - 1) != rank + 1)
    return;
  result = copy.getResult(0);
  resultMap = composed;
}

bool Fusion::matchMaps() {
  AffineMap weights = second.getAMap();
  unsigned batch = second.getBatchRank(), m = batch, n = batch + 1, depth = batch + 2;
  rank = weights.getNumResults();
  // Batch dimensions, queries, keys: each dimension of the second product in terms of the scores'.
  if (rank != batch + 2 || !weights.isProjectedPermutation() ||
      weights.getDimPosition(rank - 2) != m || weights.getDimPosition(rank - 1) != depth)
    return false;
  SmallVector<unsigned> ofFirst(rank + 1), ofSecond(batch + 3);
  std::iota(ofFirst.begin(), ofFirst.end(), 0);
  for (unsigned position = 0; position < rank; ++position)
    ofSecond[weights.getDimPosition(position)] = position;
  ofSecond[n] = rank + 1;
  tpp::GemmOp first = chain.product;
  if (first.getBatchRank() != batch || !first.getBMap().isFunctionOfDim(rank - 1) ||
      first.getBMap().isFunctionOfDim(rank - 2) || first.getAMap().isFunctionOfDim(rank - 1) ||
      !first.getAMap().isFunctionOfDim(rank - 2) || !second.getBMap().isFunctionOfDim(n))
    return false;
  q = first.getA(), k = first.getB(), v = second.getB(), result = second.getResult(0);
  qMap = renamed(first.getAMap(), ofFirst), kMap = renamed(first.getBMap(), ofFirst);
  vMap = renamed(second.getBMap(), ofSecond);
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank + 1, second.getContext());
  resultMap = renamed(all.dropResults({rank}), ofSecond);
  readThroughCopies(q, qMap, rank);
  readThroughCopies(k, kMap, -1);
  readThroughCopies(v, vMap, rank + 1);
  writeThroughCopy();
  return qMap.getDimPosition(qMap.getNumResults() - 1) == rank &&
         vMap.getDimPosition(vMap.getNumResults() - 1) == rank + 1;
}

/// Whether all that happens to the scores can be done to one of them at a time.
bool Fusion::matchSteps() {
  Value below = chain.product.getResult(0);
  for (linalg::GenericOp step : chain.steps) {
    auto mask = causalMask(step);
    if (mask && step == chain.steps.back())
      causal = mask->offset;
    else if (step.hasIndexSemantics())
      return false;
    unsigned indices = 0;
    for (Operation &inner : step.getBody()->without_terminator()) {
      indices += isa<linalg::IndexOp>(inner);
      if (!OpTrait::hasElementwiseMappableTraits(&inner) &&
          !inner.hasTrait<OpTrait::ConstantLike>() && !isa<linalg::IndexOp>(inner))
        return false;
    }
    if (indices > 2)
      return false;
    SetVector<Value> outside;
    getUsedValuesDefinedAbove(step.getRegion(), outside);
    for (Value value : outside)
      if (!value.getDefiningOp() || !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>())
        return false;
    for (OpOperand *input : step.getDpsInputOperands()) {
      AffineMap map = step.getMatchingIndexingMap(input);
      if (input->get() == below) {
        if (!map.isIdentity())
          return false;
        continue;
      }
      Type element = getElementTypeOrSelf(input->get().getType());
      if (!isa<RankedTensorType>(input->get().getType()) || !map.isProjectedPermutation() ||
          !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
        return false;
      extras.push_back(input->get());
      SmallVector<unsigned> names(rank);
      std::iota(names.begin(), names.end(), 0);
      extraMaps.push_back(renamed(map, names));
    }
    below = step.getResult(0);
  }
  return true;
}

bool Fusion::match() {
  if (!isPlain(second))
    return false;
  Value scores = softmaxOf(second.getA());
  std::optional<Chain> found = scores ? chainOf(scores) : std::nullopt;
  if (!found)
    return false;
  chain = *found;
  if (!chain.steps.empty() && !chain.product.getResult(0).hasOneUse())
    return false;
  auto shape = cast<RankedTensorType>(scores.getType()).getShape();
  Type sums = chain.product.getAccumulatorType();
  if (sums != second.getAccumulatorType() || llvm::is_contained(shape, 0) ||
      chain.product.getK() == 0 || second.getN() == 0)
    return false;
  // A lane is a query: with few of them, vectors would be mostly empty.
  if (2 * chain.product.getM() < target.lanes(sums))
    return false;
  return matchMaps() && matchSteps();
}

/// The score after a step, in the body of the new operation; `argument` is the next of its extras.
Value Fusion::scoreOf(OpBuilder &b, linalg::GenericOp step, Value below, Block *body,
                      unsigned &argument) {
  IRMapping mapping;
  Value tensor = step == chain.steps.front() ? chain.product.getResult(0) : Value();
  if (!tensor)
    tensor = (*std::prev(llvm::find(chain.steps, step))).getResult(0);
  for (OpOperand *input : step.getDpsInputOperands())
    mapping.map(step.getMatchingBlockArgument(input),
                input->get() == tensor ? below : body->getArgument(argument++));
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(step.getRegion(), outside);
  for (Value constant : outside)
    mapping.map(constant, b.clone(*constant.getDefiningOp())->getResult(0));
  Value value = yielded(step);
  SetVector<Operation *> skipped;
  if (step == chain.steps.back() && causal) {
    value = causalMask(step)->score;
  }
  for (Operation &inner : step.getBody()->without_terminator())
    if (!isa<linalg::IndexOp>(inner) &&
        llvm::all_of(inner.getOperands(), [&](Value operand) {
          return operand.getParentBlock() != step.getBody() || mapping.contains(operand);
        }))
      b.clone(inner, mapping);
  return mapping.lookupOrDefault(value);
}

void Fusion::build() {
  OpBuilder b(result.getDefiningOp());
  SmallVector<Location> parts{chain.product.getLoc()};
  for (linalg::GenericOp step : chain.steps)
    parts.push_back(step.getLoc());
  parts.push_back(second.getA().getDefiningOp()->getLoc());
  parts.push_back(second.getLoc());
  Location loc = b.getFusedLoc(parts);
  Type sums = second.getAccumulatorType();
  auto attention = AttentionOp::create(
      b, loc, result.getType(), q, k, v, extras, qMap, kMap, vMap,
      b.getAffineMapArrayAttr(extraMaps), resultMap,
      causal ? b.getI64IntegerAttr(*causal) : IntegerAttr());
  SmallVector<Type> types{sums};
  for (Value extra : extras)
    types.push_back(getElementTypeOrSelf(extra.getType()));
  Block *body = b.createBlock(&attention.getScore(), {}, types,
                              SmallVector<Location>(types.size(), loc));
  Value score = body->getArgument(0);
  unsigned argument = 1;
  for (linalg::GenericOp step : chain.steps)
    score = scoreOf(b, step, score, body, argument);
  if (score.getType() != sums) {
    auto narrowed = score.getDefiningOp<arith::TruncFOp>();
    score = narrowed && !narrowed.getRoundingmode() && narrowed.getIn().getType() == sums
                ? narrowed.getIn()
                : arith::ExtFOp::create(b, loc, sums, score).getResult();
  }
  YieldOp::create(b, loc, score);
  result.replaceAllUsesWith(attention.getResult());
}

struct FuseAttentionPass : impl::FuseAttentionPassBase<FuseAttentionPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
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
