#include "transforms/attention/AttentionPatterns.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

Value unconverted(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto narrowed = dyn_cast<arith::TruncFOp>(op);
    if (!isa<arith::ExtFOp>(op) && !(narrowed && !narrowed.getRoundingmode()))
      break;
    value = op->getOperand(0);
  }
  return value;
}

OpOperand *operandOf(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(unconverted(value));
  return argument && argument.getOwner() == op.getBody() ? op.getMatchingOpOperand(argument)
                                                         : nullptr;
}

Value yielded(linalg::GenericOp op) { return op.getBody()->getTerminator()->getOperand(0); }

static bool isOfTensors(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumResults() == 1;
}

bool isElementwise(linalg::GenericOp op) {
  return isOfTensors(op) && op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0));
}

bool isCopy(linalg::GenericOp op, bool mayNarrow) {
  if (!isElementwise(op) || op.getNumDpsInputs() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isProjectedPermutation())
    return false;
  Value copied = yielded(op);
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
  bool widens = element.getIntOrFloatBitWidth() > type.getElementTypeBitWidth();
  Location loc = value.getLoc();
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto convert = [&](OpBuilder &inner, Location where, ValueRange in) {
    Value converted = widens ? arith::ExtFOp::create(inner, where, element, in[0]).getResult()
                             : arith::TruncFOp::create(inner, where, element, in[0]).getResult();
    linalg::YieldOp::create(inner, where, converted);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), value, init, maps, iterators, convert)
      .getResult(0);
}

Value unrounded(Value value, Type type) {
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

/// Whether a map reads all dimensions but the last.
static bool dropsLast(AffineMap map) {
  return map == AffineMap::getMultiDimIdentityMap(map.getNumDims(), map.getContext())
                    .dropResult(map.getNumDims() - 1);
}

/// Whether `value` is filled with a number.
static bool isFilledWith(Value value, const APFloat &number) {
  Value filling;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    filling = fill.getInputs()[0];
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (isOfTensors(generic)) {
    OpOperand *input = operandOf(generic, yielded(generic));
    filling = input ? input->get() : yielded(generic);
  }
  APFloat found(0.0f);
  if (!filling || !matchPattern(filling, m_ConstantFloat(&found)))
    return false;
  bool lost;
  found.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return found.bitwiseIsEqual(number);
}

/// Whether `reduction_sizes` combines the last dimension of `source` by `Op` alone.
template <typename Op> static bool reducesLast(Value reduced, Value source, double neutral) {
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

/// The two tensors of an elementwise operation whose elements `left` and `right` are; the second
/// one has no last dimension.
static std::optional<std::pair<Value, Value>> elementAndRow(linalg::GenericOp op, Value left,
                                                            Value right) {
  OpOperand *element = operandOf(op, left), *row = operandOf(op, right);
  if (!element || !row || !op.getMatchingIndexingMap(element).isIdentity() ||
      !dropsLast(op.getMatchingIndexingMap(row)))
    return std::nullopt;
  return std::pair(element->get(), row->get());
}

/// Of an elementwise operation of two tensors, `Op` of an element of the first and one of the
/// second, which has no last dimension: the two tensors.
template <typename Op>
static std::optional<std::pair<Value, Value>> combinedRows(linalg::GenericOp op, Value result) {
  auto combine = unconverted(result).getDefiningOp<Op>();
  return combine ? elementAndRow(op, combine.getLhs(), combine.getRhs()) : std::nullopt;
}

/// The same for x / y, also written as x (1 / y).
static std::optional<std::pair<Value, Value>> dividedRows(linalg::GenericOp op, Value result) {
  if (auto divided = combinedRows<arith::DivFOp>(op, result))
    return divided;
  auto product = unconverted(result).getDefiningOp<arith::MulFOp>();
  auto inverse = product ? product.getRhs().getDefiningOp<arith::DivFOp>() : arith::DivFOp();
  if (!inverse || !matchPattern(inverse.getLhs(), m_OneFloat()))
    return std::nullopt;
  return elementAndRow(op, product.getLhs(), inverse.getRhs());
}

/// x of exp(x), also where what would not show in the sum is left out.
static Value exponentOf(Value power) {
  if (auto exp = power.getDefiningOp<math::ExpOp>())
    return exp.getOperand();
  auto orZero = power.getDefiningOp<ExpOrZeroOp>();
  return orZero && orZero.getCutoff().convertToDouble() < -50 ? orZero.getOperand() : Value();
}

Value softmaxOf(Value weights) {
  auto quotient = weights.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(quotient) || quotient.getNumDpsInputs() != 2 || !weights.hasOneUse())
    return {};
  auto quotientOf = dividedRows(quotient, yielded(quotient));
  if (!quotientOf)
    return {};
  auto [powers, sum] = *quotientOf;
  auto power = powers.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(power) || power.getNumDpsInputs() != 2 || !powers.hasNUses(2) ||
      !reducesLast<arith::AddFOp>(sum, powers, 0.0) || !sum.hasOneUse())
    return {};
  Value exponent = exponentOf(unconverted(yielded(power)));
  auto difference = exponent ? combinedRows<arith::SubFOp>(power, exponent) : std::nullopt;
  if (!difference)
    return {};
  auto [scores, largest] = *difference;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Either loses no NaN: the powers have it, too.
  bool isLargest = reducesLast<arith::MaximumFOp>(largest, scores, -infinity) ||
                   reducesLast<arith::MaxNumFOp>(largest, scores, -infinity);
  if (!scores.hasNUses(2) || !largest.hasOneUse() || !isLargest)
    return {};
  return scores;
}

bool isPlain(tpp::GemmOp gemm) {
  return gemm && isa<RankedTensorType>(gemm.getInit().getType()) && !gemm.getPanel() &&
         !gemm.getAccumulate() && !gemm.getStrictOrder() && !gemm.getReductionSizes() &&
         gemm.hasTrivialEpilogue() && gemm.getEpilogueIns().empty() &&
         isa<FloatType>(gemm.getAccumulatorType());
}

Groups groupsOf(ArrayRef<ReassociationIndices> reassociation) {
  Groups groups;
  for (const ReassociationIndices &indices : reassociation)
    groups.emplace_back(indices.begin(), indices.end());
  return groups;
}

Groups singles(unsigned rank) {
  Groups groups;
  for (unsigned dimension = 0; dimension < rank; ++dimension)
    groups.push_back({dimension});
  return groups;
}

unsigned rankOf(Value value) { return cast<ShapedType>(value.getType()).getRank(); }

std::optional<Chain> chainOf(Value scores) {
  Chain chain;
  chain.unscaled = scores;
  chain.groups = singles(rankOf(scores));
  Value below = scores;
  if (auto expand = scores.getDefiningOp<tensor::ExpandShapeOp>()) {
    below = expand.getSrc();
    chain.groups = groupsOf(expand.getReassociationIndices());
    if (!below.hasOneUse())
      return std::nullopt;
  }
  if ((chain.product = below.getDefiningOp<tpp::GemmOp>()))
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

} // namespace kgen
