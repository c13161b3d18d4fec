// Fuses two gemms and the softmax between them into kgen.attention.
#include "analysis/SizeBounds.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/attention/AttentionFusion.h"
#include "transforms/attention/Passes.h"

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
#include "transforms/attention/Passes.h.inc"

AffineMap AttentionFusion::mapTo(ArrayRef<unsigned> dimensions) const {
  SmallVector<AffineExpr> results;
  for (unsigned dimension : dimensions)
    results.push_back(getAffineDimExpr(dimension, b.getContext()));
  return AffineMap::get(rank + 2, 0, results, b.getContext());
}

/// Rewrites an operand of a gemm, indexed by `map`, in the dimensions of the scores: dimensions of
/// the gemm that are groups of these are expanded.
AttentionFusion::Operand AttentionFusion::operand(Value value, AffineMap map,
                                                  const DimGroups &groups) {
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

/// Lets `operand` read the source of transposes and broadcasts instead of their copy, as long as
/// dimension `last` stays the contiguous one (-1: any dimension). If such a copy rounded, its
/// source is rounded instead. With `mayScale`, a copy may be multiplied with a constant: returns
/// the product of these factors.
double AttentionFusion::readThroughCopies(Operand &operand, int64_t last, bool mayScale) {
  Operand found = operand;
  double scales = 1, scalesOfFound = 1;
  while (auto copy = found.value.getDefiningOp<linalg::GenericOp>()) {
    OpOperand *source = nullptr;
    if (std::optional<Scale> scale = mayScale ? scaleOf(copy) : std::nullopt) {
      source = scale->input;
      scales *= scale->factor;
    } else if (isCopy(copy, /*mayNarrow=*/narrow != nullptr)) {
      source = copy.getDpsInputOperand(0);
    } else {
      break;
    }
    AffineMap read = copy.getMatchingIndexingMap(source);
    AffineMap composed = read.compose(found.map);
    bool isKept = composed.getNumResults() > 0 &&
                  (last < 0 || composed.getDimPosition(composed.getNumResults() - 1) == last);
    for (unsigned dimension = rank - 2; dimension < rank + 2; ++dimension)
      isKept &= composed.isFunctionOfDim(dimension) == found.map.isFunctionOfDim(dimension);
    if (!isKept)
      break;
    found = {source->get(), composed};
    scalesOfFound = scales;
  }
  if (found.map == operand.map && scalesOfFound == 1)
    return 1;
  operand = {inElementType(b, found.value, narrow), found.map};
  return scalesOfFound;
}

/// Lets the attention write the result of transposes and roundings of its own result, as long as
/// rows of V stay contiguous in it.
void AttentionFusion::writeThroughCopies() {
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

/// Returns the weights of the second gemm before they are rounded, before their batch dimensions
/// are collapsed, and before rows of NaN become 0; null if another operation reads them.
Value AttentionFusion::weightsOf(Value operand) {
  bool isReshaped = false;
  ofWeights = singleDims(rankOf(operand));
  while (operand.hasOneUse()) {
    auto copy = operand.getDefiningOp<linalg::GenericOp>();
    if (Value guarded = beforeNanGuard(operand)) {
      nanToZero = true;
      return guarded;
    }
    if (auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>(); collapse && !isReshaped) {
      isReshaped = true;
      ofWeights = dimGroups(collapse.getReassociationIndices());
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

bool AttentionFusion::matchOperands(Value weights) {
  AffineMap map = valueGemm.getAMap();
  unsigned batch = valueGemm.getBatchRank(), m = batch, n = batch + 1, depth = batch + 2;
  unsigned last = map.getNumResults() - 1;
  if (last != batch + 1 || !map.isProjectedPermutation() || map.getDimPosition(last - 1) != m ||
      map.getDimPosition(last) != depth || !valueGemm.getBMap().isFunctionOfDim(n))
    return false;
  tpp::GemmOp first = chain.gemm;
  // Reshapes collapse batch dimensions only.
  for (const DimGroups &groups : {ofWeights, chain.groups})
    if (groups.size() < 2 || groups.back().size() != 1 || groups[groups.size() - 2].size() != 1)
      return false;
  unsigned row = first.getBatchRank(), column = row + 1;
  if (!first.getBMap().isFunctionOfDim(column) || first.getBMap().isFunctionOfDim(row) ||
      first.getAMap().isFunctionOfDim(column) || !first.getAMap().isFunctionOfDim(row))
    return false;
  sizes = llvm::to_vector(cast<ShapedType>(weights.getType()).getShape());
  sizes.append({first.getK(), valueGemm.getN()});
  DimGroups firstGroups = chain.groups, secondGroups(batch + 3);
  firstGroups.push_back({rank});
  for (unsigned position = 0; position <= last; ++position)
    secondGroups[map.getDimPosition(position)] = ofWeights[position];
  secondGroups[n] = {rank + 1};
  q = operand(first.getA(), first.getAMap(), firstGroups);
  k = operand(first.getB(), first.getBMap(), firstGroups);
  v = operand(valueGemm.getB(), valueGemm.getBMap(), secondGroups);
  SmallVector<unsigned> written;
  for (unsigned dimension = 0; dimension < batch + 2; ++dimension)
    llvm::append_range(written, secondGroups[dimension]);
  result = {valueGemm.getResult(0), mapTo(written)};
  if (written.size() != batch + 2) {
    auto expand = result.value.hasOneUse()
                      ? dyn_cast<tensor::ExpandShapeOp>(*result.value.user_begin())
                      : nullptr;
    auto sizeAt = [&](unsigned dimension) { return sizes[dimension]; };
    SmallVector<int64_t> shape = llvm::map_to_vector(written, sizeAt);
    if (!expand || expand.getResultType().getShape() != ArrayRef(shape))
      return false;
    result.value = expand.getResult();
  }
  factor =
      readThroughCopies(q, rank, /*mayScale=*/true) * readThroughCopies(k, -1, /*mayScale=*/true);
  readThroughCopies(v, rank + 1, /*mayScale=*/false);
  writeThroughCopies();
  return q.map.getDimPosition(q.map.getNumResults() - 1) == rank &&
         v.map.getDimPosition(v.map.getNumResults() - 1) == rank + 1;
}

/// The causal mask in `op`, if no operation on the scores follows. A mask of low numbers is one
/// only if nothing else can make scores as low: where another mask hides all keys that a query
/// sees, its weights are those of the hidden keys, too.
std::optional<CausalMask> AttentionFusion::causalMaskOf(linalg::GenericOp op) {
  std::optional<CausalMask> mask = op == chain.elementwise.back() ? causalMask(op) : std::nullopt;
  Value below = chain.gemmScores;
  for (linalg::GenericOp each : chain.elementwise) {
    Value result = mask && each == op ? mask->score : yieldedValue(each);
    if (mask && mask->isFinite && !otherOperands(each, below, result).empty())
      return std::nullopt;
    below = each.getResult(0);
  }
  return mask;
}

/// Counts of keys in the mask of `op`, if no operation on the scores follows.
std::optional<KeyCounts> AttentionFusion::keyCountsOf(linalg::GenericOp op) {
  return hasFewQueries && op == chain.elementwise.back() ? KeyCounts::match(op) : std::nullopt;
}

/// Returns the score after `op`, but for a mask that becomes an attribute or an operand.
Value AttentionFusion::scoreBeforeMask(linalg::GenericOp op) {
  if (std::optional<CausalMask> mask = causalMaskOf(op))
    return mask->score;
  if (std::optional<KeyCounts> found = keyCountsOf(op); found && found->score())
    return found->score();
  return yieldedValue(op);
}

/// Collects the tensors that operations on the scores read. Returns why one of these cannot be part
/// of an attention; empty if all can.
StringRef AttentionFusion::elementwiseRefusal() {
  Value below = chain.gemmScores;
  for (linalg::GenericOp op : chain.elementwise) {
    std::optional<CausalMask> mask = causalMaskOf(op);
    if (mask)
      causal = mask->offset;
    else if (!(counts = keyCountsOf(op)) || !counts->score())
      if (op.hasIndexSemantics())
        return "an operation on the scores depends on their indices, but is no causal mask";
    Value score = scoreBeforeMask(op);
    if (StringRef refusal = bodyRefusal(op, score); !refusal.empty())
      return refusal;
    for (OpOperand *input : otherOperands(op, below, score)) {
      AffineMap map = op.getMatchingIndexingMap(input);
      Type element = getElementTypeOrSelf(input->get().getType());
      if (!isa<RankedTensorType>(input->get().getType()) || !map.isProjectedPermutation() ||
          !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
        return "a mask is no tensor of the scores' dimensions, or of some of them";
      epilogueOperands.push_back(operand(input->get(), map, singleDims(rank)));
    }
    below = op.getResult(0);
  }
  return "";
}

/// True if a few queries see the first keys only, as many as the graph computes: others are not
/// read then. Else the gemms are no slower, which have blocks of keys in registers.
bool AttentionFusion::suitsFewQueries() {
  return counts && !ShapedType::isDynamic(sizes[rank - 2]) &&
         k.map.getDimPosition(k.map.getNumResults() - 1) == rank;
}

std::optional<StringRef> AttentionFusion::refusal() {
  Value weights = isPlainGemm(valueGemm) ? weightsOf(valueGemm.getA()) : Value();
  SoftmaxOperand softmax = weights ? softmaxOf(weights) : SoftmaxOperand();
  Value scores = softmax.scores;
  maskedToZero = softmax.maskedToZero;
  std::optional<ScoreChain> found = scores ? scoreChain(scores) : std::nullopt;
  if (!found)
    return missingForAttention(valueGemm);
  chain = *found;
  rank = rankOf(scores);
  auto shape = cast<RankedTensorType>(scores.getType()).getShape();
  Type sums = chain.gemm.getAccumulatorType();
  if (sums != valueGemm.getAccumulatorType())
    return "the two gemms accumulate in different types";
  if (llvm::is_contained(shape, 0) || chain.gemm.getK() == 0 || valueGemm.getN() == 0)
    return "a dimension is empty";
  if (ShapedType::isDynamic(chain.gemm.getK()) || ShapedType::isDynamic(valueGemm.getN()) ||
      !greatestSizesOf(scores))
    return "the size of a key or a value is dynamic, or a dynamic size has no bounds";
  Type stored = getElementTypeOrSelf(valueGemm.getA().getType());
  SmallVector<Value> operands{chain.gemm.getA(), chain.gemm.getB(), valueGemm.getB()};
  if (stored != sums && llvm::all_of(operands, [&](Value value) {
        return getElementTypeOrSelf(value.getType()) == stored;
      }))
    narrow = stored;
  // A lane is a query: with fewer than half a vector of them, most lanes would be empty.
  hasFewQueries = 2 * greatestRowsOf(chain.gemm) < target.lanes(sums);
  if (!matchOperands(weights))
    return "dimensions of the operands are not in the order of attention";
  StringRef refusal = elementwiseRefusal();
  if (refusal.empty() && hasFewQueries && !suitsFewQueries())
    return "fewer queries than half of a vector has lanes";
  return refusal;
}

namespace {

struct FuseAttentionPass : impl::FuseAttentionPassBase<FuseAttentionPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<tpp::GemmOp> gemms;
    getOperation().walk([&](tpp::GemmOp op) { gemms.push_back(op); });
    DecisionLog log(getOperation(), getArgument());
    for (tpp::GemmOp valueGemm : gemms) {
      AttentionFusion fusion(valueGemm, target);
      std::optional<StringRef> refusal = fusion.refusal();
      if (!refusal)
        continue;
      if (!refusal->empty()) {
        ++numRefused;
        log.add("refused", fusion.loc(), log.details().set("why", *refusal));
        continue;
      }
      ++numFused;
      log.add("applied", fusion.loc(), log.details().set("what", "one attention of two gemms"));
      fusion.build();
    }
    IRRewriter rewriter(&getContext()); // erases what nothing reads any more
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
} // namespace kgen
