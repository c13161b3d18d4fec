// Semantics of contractions: iteration space, slices, effects, blocking.
#include "dialect/kgen/GemmPlan.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/LoweringConfig.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

#include <numeric>

using namespace mlir;

namespace kgen::tpp {

namespace contraction {

/// The size of the reduction dimension `dimension`.
static int64_t sizeInA(ContractionOpInterface op, unsigned dimension) {
  if (auto reduced = op.getReductionSizes())
    return (*reduced)[dimension - op.getCType().getRank()];
  auto shape = cast<ShapedType>(op.getA().getType()).getShape();
  for (auto [position, result] : llvm::enumerate(op.getAMap().getResults()))
    if (cast<AffineDimExpr>(result).getPosition() == dimension)
      return shape[position];
  llvm_unreachable("verified: A is indexed by all reduction dimensions");
}

SmallVector<int64_t> iterationSizes(ContractionOpInterface op) {
  SmallVector<int64_t> sizes(op.getCType().getShape());
  for (unsigned i = 0; i < op.getReductionRank(); ++i)
    sizes.push_back(sizeInA(op, op.getCType().getRank() + i));
  return sizes;
}

SmallVector<utils::IteratorType> iterationTypes(ContractionOpInterface op) {
  SmallVector<utils::IteratorType> types(op.getCType().getRank(), utils::IteratorType::parallel);
  types.append(op.getReductionRank(), utils::IteratorType::reduction);
  return types;
}

AffineMap operandMap(ContractionOpInterface op, unsigned number) {
  unsigned parallel = op.getCType().getRank(), rank = parallel + op.getReductionRank();
  if (number == 0)
    return op.getAMap();
  if (number == 1)
    return op.getBMap();
  AffineMap map = AffineMap::getMultiDimIdentityMap(parallel, op.getContext());
  if (number < op->getNumOperands() - 1)
    map = cast<AffineMapAttr>(op.getEpilogueMaps()[number - 2]).getValue();
  return AffineMap::get(rank, 0, map.getResults(), op.getContext());
}

int64_t flops(ContractionOpInterface op) {
  SmallVector<int64_t> sizes = op.getIterationSizes();
  llvm::replace(sizes, ShapedType::kDynamic, int64_t(1));
  auto *reductions = sizes.end() - op.getReductionRank();
  int64_t results = std::accumulate(sizes.begin(), reductions, int64_t(1), std::multiplies<>());
  if (auto quant = op.getBQuant())
    sizes.back() = quant->depth(sizes.back());
  int64_t products = std::accumulate(reductions, sizes.end(), results, std::multiplies<>());
  return 2 * products + results * (op.getEpilogue().front().getOperations().size() - 1);
}

bool acceptsEpilogueOperand(AffineMap map, Type element) {
  if (!map.isProjectedPermutation() || !element.isIntOrFloat() || element.isInteger(1))
    return false;
  // Rows, columns, scalars and full tiles are read along with C: n, if it is there, is last.
  unsigned n = map.getNumDims() - 1;
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(result).getPosition() == n && position + 1 != map.getNumResults())
      return false;
  return true;
}

bool canTile(ContractionOpInterface op, unsigned dimension) {
  if (op.getIterationTypes()[dimension] == utils::IteratorType::parallel)
    return true;
  // One tile after another adds to C; the first one must do so, too, and none may finish.
  return op.getAccumulate() && op.hasTrivialEpilogue() && !op.getPanel();
}

/// True if tiles of n begin at multiples of the panel width: loops step by their largest tile.
static bool isAlignedToPanels(OpFoldResult offset, OpFoldResult size, int64_t panel) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return *constant % panel == 0;
  std::optional<int64_t> step = getConstantIntValue(size);
  return step && *step % panel == 0;
}

/// `value` divided by `divisor`, rounded up.
static OpFoldResult divided(OpBuilder &b, Location loc, OpFoldResult value, int64_t divisor) {
  AffineExpr d = b.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(b, loc, d.ceilDiv(divisor), {value});
}

/// The slice of packed B: n in full panels, all of k.
static LogicalResult packedSlice(ContractionOpInterface op, OpBuilder &b,
                                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                 SmallVectorImpl<OpFoldResult> &sliceOffsets,
                                 SmallVectorImpl<OpFoldResult> &sliceSizes) {
  for (AffineExpr result : op.getBMap().getResults().drop_back(2)) {
    unsigned position = cast<AffineDimExpr>(result).getPosition();
    sliceOffsets.push_back(offsets[position]);
    sliceSizes.push_back(sizes[position]);
  }
  unsigned n = op.getCType().getRank() - 1;
  int64_t panel = *op.getPanel();
  if (!isAlignedToPanels(offsets[n], sizes[n], panel))
    return failure();
  sliceOffsets.push_back(divided(b, op.getLoc(), offsets[n], panel));
  sliceSizes.push_back(divided(b, op.getLoc(), sizes[n], panel));
  auto shape = cast<ShapedType>(op.getB().getType()).getShape();
  for (int64_t size : shape.drop_front(sliceOffsets.size())) {
    sliceOffsets.push_back(b.getIndexAttr(0));
    sliceSizes.push_back(b.getIndexAttr(size));
  }
  return success();
}

/// The slice of A that windows read: from the first index to the last one.
static LogicalResult windowSlice(ContractionOpInterface op, OpBuilder &b,
                                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                 SmallVectorImpl<OpFoldResult> &sliceOffsets,
                                 SmallVectorImpl<OpFoldResult> &sliceSizes) {
  ArrayRef<int64_t> shape = cast<ShapedType>(op.getA().getType()).getShape();
  SmallVector<int64_t> all = op.getIterationSizes();
  for (auto [result, inA] : llvm::zip(op.getAMap().getResults(), shape)) {
    // Dimensions that are reduced in full keep their size: if the slice were smaller, it could be
    // folded with an insertion into that dimension.
    auto single = dyn_cast<AffineDimExpr>(result);
    if (single && single.getPosition() >= op.getCType().getRank() &&
        isZeroInteger(offsets[single.getPosition()]) &&
        getConstantIntValue(sizes[single.getPosition()]) == all[single.getPosition()]) {
      sliceOffsets.push_back(b.getIndexAttr(0));
      sliceSizes.push_back(b.getIndexAttr(inA));
      continue;
    }
    SmallVector<int64_t> coefficients = *linearCoefficients(result, sizes.size());
    AffineExpr first = b.getAffineConstantExpr(0), count = b.getAffineConstantExpr(1);
    for (auto [dimension, coefficient] : llvm::enumerate(coefficients)) {
      AffineExpr d = b.getAffineDimExpr(dimension);
      first = first + d * coefficient;
      count = count + (coefficient ? (d - 1) * coefficient : b.getAffineConstantExpr(0));
    }
    sliceOffsets.push_back(affine::makeComposedFoldedAffineApply(b, op.getLoc(), first, offsets));
    sliceSizes.push_back(affine::makeComposedFoldedAffineApply(b, op.getLoc(), count, sizes));
  }
  return success();
}

LogicalResult operandSlice(ContractionOpInterface op, OpBuilder &b, unsigned number,
                           ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                           SmallVectorImpl<OpFoldResult> &sliceOffsets,
                           SmallVectorImpl<OpFoldResult> &sliceSizes) {
  if (number == 1 && op.getPanel())
    return packedSlice(op, b, offsets, sizes, sliceOffsets, sliceSizes);
  if (number == 0 && op.getReductionSizes())
    return windowSlice(op, b, offsets, sizes, sliceOffsets, sliceSizes);
  for (AffineExpr result : operandMap(op, number).getResults()) {
    unsigned position = cast<AffineDimExpr>(result).getPosition();
    sliceOffsets.push_back(offsets[position]);
    sliceSizes.push_back(sizes[position]);
  }
  return success();
}

static void
getEffects(ContractionOpInterface op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<TensorType>(op.getInit().getType()))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    bool init = operand.getOperandNumber() == op->getNumOperands() - 1;
    if (!init || op.getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    if (init)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

} // namespace contraction

/// Adds the coefficients of `by` times `expr`.
static bool addCoefficients(AffineExpr expr, int64_t by, SmallVectorImpl<int64_t> &coefficients) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dimension.getPosition()] += by;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addCoefficients(binary.getLHS(), by, coefficients) &&
           addCoefficients(binary.getRHS(), by, coefficients);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() > 0 &&
         addCoefficients(binary.getLHS(), by * factor.getValue(), coefficients);
}

std::optional<SmallVector<int64_t>> linearCoefficients(AffineExpr index, unsigned rank) {
  SmallVector<int64_t> coefficients(rank, 0);
  return addCoefficients(index, 1, coefficients) ? std::optional(coefficients) : std::nullopt;
}

std::optional<IndexInGroup> IndexInGroup::match(AffineExpr index) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  auto member = sum ? dyn_cast<AffineDimExpr>(sum.getRHS()) : nullptr;
  auto start = sum ? dyn_cast<AffineBinaryOpExpr>(sum.getLHS()) : nullptr;
  auto quotient = start ? dyn_cast<AffineBinaryOpExpr>(start.getLHS()) : nullptr;
  auto channel = quotient ? dyn_cast<AffineDimExpr>(quotient.getLHS()) : nullptr;
  auto size = quotient ? dyn_cast<AffineConstantExpr>(quotient.getRHS()) : nullptr;
  if (!member || !channel || !size || sum.getKind() != AffineExprKind::Add ||
      start.getKind() != AffineExprKind::Mul || start.getRHS() != size ||
      quotient.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  return IndexInGroup{channel.getPosition(), member.getPosition(), size.getValue()};
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
void GemmOp::getEffects(Effects &effects) { contraction::getEffects(*this, effects); }
void BrgemmOp::getEffects(Effects &effects) { contraction::getEffects(*this, effects); }

std::optional<std::pair<int64_t, int64_t>> userRegisterTile(ContractionOpInterface op,
                                                            int64_t rows) {
  LoweringConfigAttr config = loweringConfigOf(op);
  if (!config || !config.getVector())
    return std::nullopt;
  ArrayRef<int64_t> tile = config.getVector().asArrayRef().drop_front(op.getBatchRank());
  return std::pair(tile[0] == 0 ? rows : tile[0],
                   tile[1] == 0 ? static_cast<int64_t>(op.getN()) : tile[1]);
}

/// Rows of a register tile whose operands are both quantized: each has a sum of integers and a
/// total for the vectors of columns that are computed together, one for each 16 registers. Weights
/// take the rest.
static int64_t rowsOfQuantizedTile(int64_t registers) {
  constexpr int64_t forWeights = 8;
  int64_t vectors = std::max<int64_t>(1, registers / 16);
  return std::max<int64_t>(1, (registers - forWeights) / (2 * vectors));
}

static GemmPlanAttr choosePlan(ContractionOpInterface op, TargetAttr target) {
  return target.gemmPlan(op.getAValueType(), op.getBValueType(), op.getPanel().has_value(),
                         /*mayUseTiles=*/!op.getBQuant(), op.getF16Accumulate(),
                         static_cast<int64_t>(op.getVnni()));
}

GemmPlanAttr planOf(ContractionOpInterface op, TargetAttr target) {
  auto plan = op->getAttrOfType<GemmPlanAttr>(gemmPlanAttrName);
  return plan ? plan : choosePlan(op, target);
}

void setPlan(ContractionOpInterface op, TargetAttr target) {
  op->setDiscardableAttr(gemmPlanAttrName, planOf(op, target));
}

GemmBlocking blockingOf(ContractionOpInterface op, TargetAttr target, int64_t rows,
                        bool mayUseTiles) {
  auto given = userRegisterTile(op, rows);
  mayUseTiles &= !given;
  GemmPlanAttr plan = planOf(op, target);
  GemmBlocking blocking = target.gemmBlocking(
      mayUseTiles ? plan : plan.inVectors(), op.getAValueType(), op.getBValueType(), rows,
      op.getN(), op.getK(), op.getPanel().has_value(), op.getF16Accumulate());
  if (op.getPanel()) // it may be narrower than the one for these columns
    blocking.nr = std::min(blocking.nr, static_cast<int64_t>(*op.getPanel()));
  if (given) {
    std::tie(blocking.mr, blocking.nr) = *given;
    blocking.accumulators =
        blocking.mr * llvm::divideCeil(blocking.nr, target.lanes(op.getAccumulatorType()));
    blocking.isGiven = true;
  }
  if (!op.getBQuant())
    return blocking;
  // Kernels for blockwise-quantized weights take full panels and all of k.
  blocking.nr = blocking.panel = BlockwiseQuantAttr::panelWidth;
  int64_t vectors = llvm::divideCeil(blocking.nr, target.lanes(op.getAccumulatorType()));
  // Sums of two vectors of columns at a time take half of the registers; unpacking 4-bit weights
  // takes one row's.
  int64_t registers = target.getVectorRegisters();
  blocking.mr = registers / 4 - (op.getBQuant()->getBits() == 4);
  if (op.getBQuant()->quantizesRows())
    blocking.mr = rowsOfQuantizedTile(registers);
  blocking.accumulators = blocking.mr * vectors;
  blocking.mc = std::max(blocking.mr, blocking.mc);
  blocking.kc = std::max<int64_t>(op.getK(), 1);
  return blocking;
}

ContractionOpInterface cloneWithoutEpilogue(OpBuilder &builder, ContractionOpInterface op,
                                            Location loc, ValueRange epilogueIns,
                                            ArrayRef<AffineMap> epilogueMaps, Value init) {
  SmallVector<Value> operands{op.getA(), op.getB()};
  llvm::append_range(operands, epilogueIns);
  operands.push_back(init);
  OperationState state(loc, op->getName(), operands, TypeRange{}, op->getAttrs());
  if (isa<TensorType>(init.getType()))
    state.addTypes(init.getType());
  state.attributes.set("epilogue_maps", builder.getAffineMapArrayAttr(epilogueMaps));
  state.addRegion();
  return cast<ContractionOpInterface>(builder.create(state));
}

} // namespace kgen::tpp
