#include "transforms/attention/AttentionPatterns.h"

#include "analysis/SizeBounds.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/NamedOps.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

Value stripConversions(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto narrowed = dyn_cast<arith::TruncFOp>(op);
    if (!isa<arith::ExtFOp>(op) && !(narrowed && !narrowed.getRoundingmode()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

OpOperand *operandOf(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(stripConversions(value));
  return argument && argument.getOwner() == op.getBody() ? op.getMatchingOpOperand(argument)
                                                         : nullptr;
}

Value yieldedValue(linalg::GenericOp op) { return op.getBody()->getTerminator()->getOperand(0); }

llvm::SmallPtrSet<Value, 8> scalarsOf(Value result) {
  llvm::SmallPtrSet<Value, 8> scalars;
  SmallVector<Value> open{result};
  while (!open.empty()) {
    Value scalar = open.pop_back_val();
    Operation *op = scalar.getDefiningOp();
    if (scalars.insert(scalar).second && op && op->getBlock() == result.getParentBlock())
      llvm::append_range(open, op->getOperands());
  }
  return scalars;
}

static bool hasOneTensorResult(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumResults() == 1;
}

bool isElementwise(linalg::GenericOp op) {
  return hasOneTensorResult(op) && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

bool isCopy(linalg::GenericOp op, bool mayNarrow) {
  if (!isElementwise(op) || op.getNumDpsInputs() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isProjectedPermutation())
    return false;
  Value copied = yieldedValue(op);
  auto narrowed = mayNarrow ? copied.getDefiningOp<arith::TruncFOp>() : nullptr;
  if (narrowed && !narrowed.getRoundingmode() &&
      accumulatorOf(narrowed.getType()) == narrowed.getIn().getType())
    copied = narrowed.getIn();
  return copied == op.getRegionInputArgs()[0];
}

Value beforeRounding(Value value) {
  auto copy = value.getDefiningOp<linalg::GenericOp>();
  bool rounds = isCopy(copy, /*mayNarrow=*/true) &&
                copy.getMatchingIndexingMap(copy.getDpsInputOperand(0)).isIdentity();
  return rounds ? copy.getDpsInputs()[0] : value;
}

Value inElementType(OpBuilder &b, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!element || type.getElementType() == element)
    return value;
  bool isExtension = element.getIntOrFloatBitWidth() > type.getElementTypeBitWidth();
  Location loc = value.getLoc();
  Value init = emptyLike(b, loc, value, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto convert = [&](OpBuilder &inner, Location where, ValueRange in) {
    Value converted = isExtension
                          ? arith::ExtFOp::create(inner, where, element, in[0]).getResult()
                          : arith::TruncFOp::create(inner, where, element, in[0]).getResult();
    linalg::YieldOp::create(inner, where, converted);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), value, init, maps, iterators, convert)
      .getResult(0);
}

Value beforeTruncation(Value value, Type type) {
  auto narrowed = value.getDefiningOp<arith::TruncFOp>();
  return narrowed && !narrowed.getRoundingmode() && narrowed.getIn().getType() == type
             ? narrowed.getIn()
             : Value();
}

TypedAttr splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

/// True if a map reads all dimensions but the last, in order.
static bool dropsLast(AffineMap map) {
  return map == AffineMap::getMultiDimIdentityMap(map.getNumDims(), map.getContext())
                    .dropResult(map.getNumDims() - 1);
}

/// True if `value` is filled with `number`.
static bool isFilledWith(Value value, const APFloat &number) {
  Value filling;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    filling = fill.getInputs()[0];
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (hasOneTensorResult(generic)) {
    OpOperand *input = operandOf(generic, yieldedValue(generic));
    filling = input ? input->get() : yieldedValue(generic);
  }
  APFloat found(0.0f);
  if (!filling || !matchPattern(filling, m_ConstantFloat(&found)))
    return false;
  bool lost;
  found.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return found.bitwiseIsEqual(number);
}

/// True if `reduced` combines the last dimension of `source` with `Op` alone, starting from
/// `neutral`.
template <typename Op> static bool reducesLast(Value reduced, Value source, double neutral) {
  auto op = reduced.getDefiningOp<linalg::GenericOp>();
  if (!hasOneTensorResult(op) || op.getNumDpsInputs() != 1 || op.getDpsInputs()[0] != source ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() ||
      !dropsLast(op.getMatchingIndexingMap(op.getDpsInitOperand(0))))
    return false;
  auto combine = stripConversions(yieldedValue(op)).getDefiningOp<Op>();
  if (!combine)
    return false;
  SmallPtrSet<OpOperand *, 2> both{operandOf(op, combine.getLhs()),
                                   operandOf(op, combine.getRhs())};
  return both.contains(op.getDpsInputOperand(0)) && both.contains(op.getDpsInitOperand(0)) &&
         isFilledWith(op.getDpsInits()[0], APFloat(neutral));
}

/// Returns the tensors whose elements `left` and `right` are: the first with all dimensions of
/// `op`, the second with all but the last. Nothing if they have another form.
static std::optional<std::pair<Value, Value>> elementAndRow(linalg::GenericOp op, Value left,
                                                            Value right) {
  OpOperand *element = operandOf(op, left), *row = operandOf(op, right);
  if (!element || !row || !op.getMatchingIndexingMap(element).isIdentity() ||
      !dropsLast(op.getMatchingIndexingMap(row)))
    return std::nullopt;
  return std::pair(element->get(), row->get());
}

/// Returns the tensors of elementAndRow if `result` is `Op` of their elements; otherwise nothing.
template <typename Op>
static std::optional<std::pair<Value, Value>> combinedRows(linalg::GenericOp op, Value result) {
  auto combine = stripConversions(result).getDefiningOp<Op>();
  return combine ? elementAndRow(op, combine.getLhs(), combine.getRhs()) : std::nullopt;
}

/// Returns 1 / y of `y == 0 ? 0 : 1 / y`; null for other values.
static Value inverseOrZero(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  auto inverse = select ? select.getFalseValue().getDefiningOp<arith::DivFOp>() : arith::DivFOp();
  bool isGuard = compare && inverse && compare.getPredicate() == arith::CmpFPredicate::OEQ &&
                 compare.getLhs() == inverse.getRhs() &&
                 matchPattern(compare.getRhs(), m_AnyZeroFloat()) &&
                 matchPattern(select.getTrueValue(), m_PosZeroFloat());
  return isGuard ? inverse.getResult() : Value();
}

/// Matches x / y, also if it is written as x * (1 / y); `zeroOfZero` if x / 0 is 0.
static std::optional<std::pair<Value, Value>> dividedRows(linalg::GenericOp op, Value result,
                                                          bool &zeroOfZero) {
  if (auto normalized = combinedRows<arith::DivFOp>(op, result))
    return normalized;
  auto gemm = stripConversions(result).getDefiningOp<arith::MulFOp>();
  if (!gemm)
    return std::nullopt;
  Value guarded = inverseOrZero(gemm.getRhs());
  zeroOfZero = guarded != nullptr;
  auto inverse = (guarded ? guarded : gemm.getRhs()).getDefiningOp<arith::DivFOp>();
  if (!inverse || !matchPattern(inverse.getLhs(), m_OneFloat()))
    return std::nullopt;
  return elementAndRow(op, gemm.getLhs(), inverse.getRhs());
}

/// Returns x of exp(x); also of kgen.exp_or_zero, if results that it flushes to 0 are too small to
/// change a sum that contains exp(0). Null for other values.
static Value exponentOf(Value exponential) {
  if (auto exp = exponential.getDefiningOp<math::ExpOp>())
    return exp.getOperand();
  auto orZero = exponential.getDefiningOp<ExpOrZeroOp>();
  return orZero && orZero.getCutoff().convertToDouble() < -50 ? orZero.getOperand() : Value();
}

/// Returns the exponent of the exponentials of `op`, and the operation that computes it: `op`, or
/// one before it whose result nothing else reads.
static std::pair<linalg::GenericOp, Value> exponentIn(linalg::GenericOp op) {
  Value exponent = exponentOf(stripConversions(yieldedValue(op)));
  OpOperand *input = exponent && op.getNumDpsInputs() == 1 ? operandOf(op, exponent) : nullptr;
  auto before = input ? input->get().getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if (!isElementwise(before) || !before.getResult(0).hasOneUse() ||
      !op.getMatchingIndexingMap(input).isIdentity())
    return {op, exponent};
  return {before, yieldedValue(before)};
}

/// True if `max` is the maximum of the scores' rows, starting from `lowest`. maxnumf drops a NaN,
/// which the exponential of the same score yields again.
static bool isRowMaximum(Value max, Value scores, double lowest) {
  return reducesLast<arith::MaximumFOp>(max, scores, lowest) ||
         reducesLast<arith::MaxNumFOp>(max, scores, lowest);
}

/// Returns the input of kgen.softmax along the last dimension; null if `named` is another one, or
/// if something else reads the input.
static SoftmaxOperand softmaxOf(SoftmaxOp named) {
  int64_t last = named.getInputType().getRank() - 1;
  if (named.getLogarithm() || named.getDimensions() != ArrayRef(last) ||
      !named.getInput().hasOneUse())
    return {};
  return {named.getInput(), named.getMaskedToZero()};
}

SoftmaxOperand softmaxOf(Value weights) {
  if (auto named = weights.getDefiningOp<SoftmaxOp>())
    return softmaxOf(named);
  auto quotient = weights.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(quotient) || quotient.getNumDpsInputs() != 2)
    return {};
  bool zeroOfZero = false;
  auto quotientOf = dividedRows(quotient, yieldedValue(quotient), zeroOfZero);
  if (!quotientOf)
    return {};
  auto [exponentials, sum] = *quotientOf;
  auto exponential = exponentials.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(exponential) || !exponentials.hasNUses(2) || !sum.hasOneUse() ||
      !reducesLast<arith::AddFOp>(sum, exponentials, 0.0))
    return {};
  auto [op, exponent] = exponentIn(exponential);
  auto difference = exponent ? combinedRows<arith::SubFOp>(op, exponent) : std::nullopt;
  if (!difference || op.getNumDpsInputs() != 2)
    return {};
  auto [scores, max] = *difference;
  double lowest = -std::numeric_limits<double>::infinity();
  if (zeroOfZero) { // a finite maximum keeps the exponentials of -inf 0
    auto element = cast<FloatType>(getElementTypeOrSelf(max.getType()));
    APFloat number = APFloat::getLargest(element.getFloatSemantics(), /*Negative=*/true);
    lowest = number.convertToDouble();
  }
  if (!scores.hasNUses(2) || !max.hasOneUse() || !isRowMaximum(max, scores, lowest))
    return {};
  return {scores, zeroOfZero};
}

bool isPlainGemm(tpp::GemmOp gemm) {
  return gemm && isa<RankedTensorType>(gemm.getInit().getType()) && !gemm.getPanel() &&
         !gemm.getAccumulate() && !gemm.getStrictOrder() && !gemm.getReductionSizes() &&
         gemm.hasTrivialEpilogue() && gemm.getEpilogueIns().empty() &&
         isa<FloatType>(gemm.getAccumulatorType());
}

DimGroups dimGroups(ArrayRef<ReassociationIndices> reassociation) {
  DimGroups groups;
  for (const ReassociationIndices &indices : reassociation)
    groups.emplace_back(indices.begin(), indices.end());
  return groups;
}

DimGroups singleDims(unsigned rank) {
  DimGroups groups;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    groups.push_back({dimension});
  return groups;
}

unsigned rankOf(Value value) { return cast<ShapedType>(value.getType()).getRank(); }

std::optional<ScoreChain> scoreChain(Value scores) {
  ScoreChain chain;
  chain.gemmScores = scores;
  chain.groups = singleDims(rankOf(scores));
  Value below = scores;
  if (auto expand = scores.getDefiningOp<tensor::ExpandShapeOp>()) {
    below = expand.getSrc();
    chain.groups = dimGroups(expand.getReassociationIndices());
    if (!below.hasOneUse())
      return std::nullopt;
  }
  if ((chain.gemm = below.getDefiningOp<tpp::GemmOp>()))
    return isPlainGemm(chain.gemm) ? std::optional(chain) : std::nullopt;
  auto op = scores.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(op))
    return std::nullopt;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isIdentity() || !input->get().hasOneUse())
      continue;
    if (auto below = scoreChain(input->get())) {
      below->elementwise.push_back(op);
      return below;
    }
  }
  return std::nullopt;
}

} // namespace kgen
