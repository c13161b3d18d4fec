// Semantics of contractions: iteration space, slices, effects, and what the verifier checks.
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

#include <numeric>

using namespace mlir;

namespace kgen::tpp {
namespace contraction {

/// The size of iteration dimension `dimension`, which is summed over.
static int64_t sizeInA(ContractionOpInterface op, unsigned dimension) {
  if (auto reduced = op.getReduced())
    return (*reduced)[dimension - op.getCType().getRank()];
  auto shape = cast<ShapedType>(op.getA().getType()).getShape();
  for (auto [position, result] : llvm::enumerate(op.getAMap().getResults()))
    if (cast<AffineDimExpr>(result).getPosition() == dimension)
      return shape[position];
  llvm_unreachable("verified: A is indexed by what is summed over");
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
    map = cast<AffineMapAttr>(op.getExtraMaps()[number - 2]).getValue();
  return AffineMap::get(rank, 0, map.getResults(), op.getContext());
}

int64_t flops(ContractionOpInterface op) {
  SmallVector<int64_t> sizes = op.getIterationSizes();
  int64_t results = op.getCType().getNumElements();
  int64_t products = std::accumulate(sizes.end() - op.getReductionRank(), sizes.end(), results,
                                     std::multiplies<>());
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

/// Whether tiles of n begin at whole panels: loops step by the size of their largest tile.
static bool isCutAtPanels(OpFoldResult offset, OpFoldResult size, int64_t panel) {
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

/// Panels of packed B: n is cut at whole panels, k is not cut.
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
  if (!isCutAtPanels(offsets[n], sizes[n], panel))
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

/// What windows read of A: from the first index to the last one.
static LogicalResult windowSlice(ContractionOpInterface op, OpBuilder &b,
                                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                 SmallVectorImpl<OpFoldResult> &sliceOffsets,
                                 SmallVectorImpl<OpFoldResult> &sliceSizes) {
  for (AffineExpr result : op.getAMap().getResults()) {
    SmallVector<int64_t> steps = *stepsOf(result, sizes.size());
    AffineExpr first = b.getAffineConstantExpr(0), count = b.getAffineConstantExpr(1);
    for (auto [dimension, step] : llvm::enumerate(steps)) {
      AffineExpr d = b.getAffineDimExpr(dimension);
      first = first + d * step;
      count = count + (step ? (d - 1) * step : b.getAffineConstantExpr(0));
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
  if (number == 0 && op.getReduced())
    return windowSlice(op, b, offsets, sizes, sliceOffsets, sliceSizes);
  for (AffineExpr result : operandMap(op, number).getResults()) {
    unsigned position = cast<AffineDimExpr>(result).getPosition();
    sliceOffsets.push_back(offsets[position]);
    sliceSizes.push_back(sizes[position]);
  }
  return success();
}

/// Whether `operand` has the shape that `map` gives it in an iteration space of `sizes`.
static LogicalResult verifyOperand(Operation *op, StringRef name, Value operand, AffineMap map,
                                   ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(operand.getType());
  if (map.getNumDims() != sizes.size() || !map.isProjectedPermutation())
    return op->emitOpError() << name << "'s map must be a projected permutation of " << sizes.size()
                             << " dimensions, found " << AffineMapAttr::get(map);
  if (type.getRank() != map.getNumResults())
    return op->emitOpError() << name << " has rank " << type.getRank() << ", but its map has "
                             << map.getNumResults() << " results";
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    int64_t expected = sizes[cast<AffineDimExpr>(result).getPosition()];
    if (type.getDimSize(position) != expected)
      return op->emitOpError() << "dimension " << position << " of " << name << " is "
                               << type.getDimSize(position) << ", expected " << expected;
  }
  return success();
}

/// Whether all that windows reach is in A.
static LogicalResult verifyWindow(ContractionOpInterface op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getA().getType());
  AffineMap map = op.getAMap();
  if (type.getRank() != map.getNumResults())
    return op->emitOpError() << "A has rank " << type.getRank() << ", but its map has "
                             << map.getNumResults() << " results";
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    std::optional<SmallVector<int64_t>> steps = stepsOf(result, sizes.size());
    if (!steps)
      return op->emitOpError() << "A's map must consist of sums of dimensions times positive "
                                  "constants, found "
                               << AffineMapAttr::get(map);
    int64_t reach = 1;
    for (auto [step, size] : llvm::zip(*steps, sizes))
      reach += step * (size - 1);
    if (reach > type.getDimSize(position))
      return op->emitOpError() << "windows reach " << reach << " elements of dimension " << position
                               << " of A, which has " << type.getDimSize(position);
  }
  return success();
}

/// The last dimensions of B in panels.
static SmallVector<int64_t> panelShape(ContractionOpInterface op, int64_t n, int64_t k) {
  int64_t panel = *op.getPanel(), vnni = op.getVnni();
  if (auto blocks = op.getBBlocks())
    return {static_cast<int64_t>(llvm::divideCeil(n, panel)), blocks->count(k),
            blocks->bytes(panel)};
  SmallVector<int64_t> shape{static_cast<int64_t>(llvm::divideCeil(n, panel)),
                             static_cast<int64_t>(llvm::divideCeil(k, vnni)), panel};
  if (vnni > 1)
    shape.push_back(vnni);
  return shape;
}

static LogicalResult verifyPackedB(ContractionOpInterface op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getB().getType());
  if (static_cast<int64_t>(*op.getPanel()) < 1 || static_cast<int64_t>(op.getVnni()) < 1)
    return op->emitOpError("packed B needs a positive panel width and VNNI factor");
  unsigned nDim = op.getCType().getRank() - 1, kDim = sizes.size() - 1;
  SmallVector<int64_t> tail = panelShape(op, sizes[nDim], sizes[kDim]);
  if (type.getRank() < static_cast<int64_t>(tail.size()) ||
      type.getShape().take_back(tail.size()) != ArrayRef(tail)) {
    auto error = op->emitOpError("packed B must end in ");
    llvm::interleave(tail, error, "x");
    return error << ", found " << type;
  }
  AffineMap map = op.getBMap();
  unsigned outer = type.getRank() - tail.size();
  if (map.getNumDims() != sizes.size() || !map.isProjectedPermutation() ||
      map.getNumResults() != outer + 2 || map.getDimPosition(outer) != kDim ||
      map.getDimPosition(outer + 1) != nDim)
    return op->emitOpError() << "packed B's map must be (batch..., k, n), found "
                             << AffineMapAttr::get(map);
  for (unsigned position = 0; position < outer; ++position)
    if (type.getDimSize(position) != sizes[map.getDimPosition(position)])
      return op->emitOpError() << "batch dimension " << position << " of packed B is "
                               << type.getDimSize(position) << ", expected "
                               << sizes[map.getDimPosition(position)];
  return success();
}

static LogicalResult verifyEpilogue(ContractionOpInterface op) {
  Block &body = op.getEpilogue().front();
  Type c = op.getCType().getElementType();
  if (body.getNumArguments() != op.getExtras().size() + 1)
    return op->emitOpError() << "epilogue takes " << op.getExtras().size() + 1 << " scalars, found "
                             << body.getNumArguments();
  Type accumulator = accumulatorOf(op.getAType(), op.getBValueType());
  if (body.getArgument(0).getType() != accumulator)
    return op->emitOpError() << "the accumulator must be " << accumulator << ", found "
                             << body.getArgument(0).getType();
  if (op.getAccumulate() && c != accumulator)
    return op->emitOpError() << "only C of the accumulator's type can be added to, found " << c;
  for (auto [extra, argument] : llvm::zip(op.getExtras(), body.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(extra.getType()))
      return op->emitOpError("an epilogue argument must have the type of its extra's elements");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValue().getType() != c)
    return op->emitOpError("the epilogue must yield one element of C");
  for (Operation &inner : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !inner.hasTrait<OpTrait::ConstantLike>())
      return op->emitOpError() << "'" << inner.getName() << "' in an epilogue is not elementwise";
  return success();
}

/// C and A define the iteration space.
static LogicalResult verifySpace(ContractionOpInterface op) {
  auto c = cast<ShapedType>(op.getInit().getType());
  if (c.getRank() < 2 || !c.hasStaticShape())
    return op->emitOpError("C must have a static shape and at least two dimensions");
  if (op->getNumResults() != (isa<TensorType>(c) ? 1u : 0u))
    return op->emitOpError("has one result if C is a tensor and none if it is a memref");
  AffineMap aMap = op.getAMap();
  auto a = cast<ShapedType>(op.getA().getType());
  unsigned rank = c.getRank() + op.getReductionRank();
  bool reduced = aMap.getNumDims() == rank;
  for (unsigned dimension = c.getRank(); reduced && dimension < rank; ++dimension)
    reduced = aMap.isFunctionOfDim(dimension);
  if (op.getReduced() && op.getReduced()->size() != op.getReductionRank())
    return op->emitOpError() << "'reduced' has the sizes of " << op.getReductionRank()
                             << " dimensions, found " << op.getReduced()->size();
  bool isPlain = aMap.isProjectedPermutation() && aMap.getNumResults() == a.getRank();
  if (!reduced || !(isPlain || op.getReduced()) || !a.hasStaticShape())
    return op->emitOpError("A must have a static shape, be indexed by what is summed over and have "
                           "one dimension per result of its map");
  if (!accumulatorOf(op.getAType(), op.getBValueType()))
    return op->emitOpError() << "A and B must be of types that are added up in the same one, found "
                             << op.getAType() << " and " << op.getBValueType();
  if (op.getHalfSums() && (!op.getAType().isF16() || !op.getBType().isF16() || op.getSequential()))
    return op->emitOpError("only products of f16, in any order, may be added up in f16");
  if ((op.getAUnsigned() && !op.getAType().isInteger(8)) ||
      (op.getBUnsigned() && !op.getBType().isInteger(8)))
    return op->emitOpError("only operands of i8 are signed or unsigned");
  return success();
}

/// Blocks of weights: kernels take one matrix of whole panels.
static LogicalResult verifyBlocks(ContractionOpInterface op) {
  if (!op.getBBlocks())
    return success();
  if (op.getPanel() != BlocksAttr::panelWidth || op.getVnni() != 1 || op.getReductionRank() != 1 ||
      op.getSequential())
    return op->emitOpError() << "weights in blocks need panels of " << BlocksAttr::panelWidth
                             << " columns without a VNNI factor, one dimension to sum over, and "
                                "sums in any order";
  if (!op.getBType().isInteger(8))
    return op->emitOpError() << "weights in blocks are bytes, found " << op.getBType();
  return success();
}

static LogicalResult verify(ContractionOpInterface op) {
  if (failed(verifyBlocks(op)) || failed(verifySpace(op)))
    return failure();
  auto c = cast<ShapedType>(op.getInit().getType());
  SmallVector<int64_t> sizes = op.getIterationSizes();
  if (!op.getPanel() && op.getVnni() != 1)
    return op->emitOpError("only B in panels has a VNNI factor");
  if (failed(op.getReduced() ? verifyWindow(op, sizes)
                             : verifyOperand(op, "A", op.getA(), op.getAMap(), sizes)) ||
      failed(op.getPanel() ? verifyPackedB(op, sizes)
                           : verifyOperand(op, "B", op.getB(), op.getBMap(), sizes)))
    return failure();
  if (isa<MemRefType>(c) && llvm::is_contained(op->getOperands().drop_back(), op.getInit()))
    return op->emitOpError("C must not be one of the operands that are read");
  if (op.getExtraMaps().size() != op.getExtras().size())
    return op->emitOpError("needs one map per extra");
  for (auto [extra, map] :
       llvm::zip(op.getExtras(), op.getExtraMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(verifyOperand(op, "an extra", extra, map, c.getShape())))
      return failure();
  return verifyEpilogue(op);
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

/// Adds `by` times `expr` to `steps`.
static bool addSteps(AffineExpr expr, int64_t by, SmallVectorImpl<int64_t> &steps) {
  if (auto dimension = dyn_cast<AffineDimExpr>(expr)) {
    steps[dimension.getPosition()] += by;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addSteps(binary.getLHS(), by, steps) && addSteps(binary.getRHS(), by, steps);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return binary.getKind() == AffineExprKind::Mul && factor && factor.getValue() > 0 &&
         addSteps(binary.getLHS(), by * factor.getValue(), steps);
}

std::optional<SmallVector<int64_t>> stepsOf(AffineExpr index, unsigned rank) {
  SmallVector<int64_t> steps(rank, 0);
  return addSteps(index, 1, steps) ? std::optional(steps) : std::nullopt;
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
LogicalResult GemmOp::verify() { return contraction::verify(*this); }
LogicalResult BrgemmOp::verify() { return contraction::verify(*this); }
void GemmOp::getEffects(Effects &effects) { contraction::getEffects(*this, effects); }
void BrgemmOp::getEffects(Effects &effects) { contraction::getEffects(*this, effects); }

GemmBlocking blockingOf(ContractionOpInterface op, TargetAttr target, bool mayUseTiles) {
  GemmBlocking blocking = target.gemmBlocking(op.getAType(), op.getBValueType(), op.getM(),
                                              op.getN(), op.getK(), op.getPanel().has_value(),
                                              mayUseTiles && !op.getBBlocks(), op.getHalfSums());
  if (op.getPanel()) // perhaps narrower than its columns ask for
    blocking.nr = std::min(blocking.nr, static_cast<int64_t>(*op.getPanel()));
  if (!op.getBBlocks())
    return blocking;
  // Kernels take whole panels and all of k.
  blocking.nr = blocking.panel = BlocksAttr::panelWidth;
  int64_t vectors = llvm::divideCeil(blocking.nr, target.lanes(op.getAccumulatorType()));
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / vectors);
  if (blocking.mr > 4) // scales, tables, words and the weights of a group take registers, too
    blocking.mr /= 2;
  blocking.accumulators = blocking.mr * vectors;
  blocking.mc = std::max(blocking.mr, blocking.mc);
  blocking.kc = std::max<int64_t>(op.getK(), 1);
  return blocking;
}

ContractionOpInterface cloneWithoutEpilogue(OpBuilder &builder, ContractionOpInterface op,
                                            Location loc, ValueRange extras,
                                            ArrayRef<AffineMap> extraMaps, Value init) {
  SmallVector<Value> operands{op.getA(), op.getB()};
  llvm::append_range(operands, extras);
  operands.push_back(init);
  OperationState state(loc, op->getName(), operands, TypeRange{}, op->getAttrs());
  if (isa<TensorType>(init.getType()))
    state.addTypes(init.getType());
  state.attributes.set("extra_maps", builder.getAffineMapArrayAttr(extraMaps));
  state.addRegion();
  return cast<ContractionOpInterface>(builder.create(state));
}

} // namespace kgen::tpp
