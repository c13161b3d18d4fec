// The verifier of contractions.
#include "dialect/kgen/Kgen.h"
#include "dialect/tpp/Tpp.h"

using namespace mlir;

namespace kgen::tpp {
namespace {

/// As in types.
std::string text(int64_t size) { return ShapedType::isDynamic(size) ? "?" : std::to_string(size); }

/// Succeeds if `operand` has the shape that `map` gives it in an iteration space of `sizes`.
LogicalResult verifyOperand(Operation *op, StringRef name, Value operand, AffineMap map,
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
                               << text(type.getDimSize(position)) << ", expected "
                               << text(expected);
  }
  return success();
}

/// Succeeds if all windows are within A, as far as its sizes are static.
LogicalResult verifyWindow(ContractionOpInterface op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getA().getType());
  AffineMap map = op.getAMap();
  if (type.getRank() != map.getNumResults())
    return op->emitOpError() << "A has rank " << type.getRank() << ", but its map has "
                             << map.getNumResults() << " results";
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    std::optional<SmallVector<int64_t>> coefficients = linearCoefficients(result, sizes.size());
    if (!coefficients)
      return op->emitOpError() << "A's map must consist of sums of dimensions times positive "
                                  "constants, found "
                               << AffineMapAttr::get(map);
    if (ShapedType::isDynamic(type.getDimSize(position)))
      continue;
    int64_t reach = 1;
    for (auto [coefficient, size] : llvm::zip(*coefficients, sizes)) {
      if (coefficient == 0)
        continue;
      if (ShapedType::isDynamic(size))
        return op->emitOpError() << "dimension " << position
                                 << " of A has a static size, which windows read whose number is "
                                    "not known";
      reach += coefficient * (size - 1);
    }
    if (reach > type.getDimSize(position))
      return op->emitOpError() << "windows reach " << reach << " elements of dimension " << position
                               << " of A, which has " << type.getDimSize(position);
  }
  return success();
}

/// The last dimensions of B in panels.
SmallVector<int64_t> panelShape(ContractionOpInterface op, int64_t n, int64_t k) {
  int64_t panel = *op.getPanel(), vnni = op.getVnni();
  if (auto quant = op.getBQuant())
    return {static_cast<int64_t>(llvm::divideCeil(n, panel)), quant->count(k), quant->bytes(panel)};
  SmallVector<int64_t> shape{static_cast<int64_t>(llvm::divideCeil(n, panel)),
                             static_cast<int64_t>(llvm::divideCeil(k, vnni)), panel};
  if (vnni > 1)
    shape.push_back(vnni);
  return shape;
}

LogicalResult verifyPackedB(ContractionOpInterface op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getB().getType());
  if (static_cast<int64_t>(*op.getPanel()) < 1 || static_cast<int64_t>(op.getVnni()) < 1)
    return op->emitOpError("packed B needs a positive panel width and VNNI factor");
  unsigned nDim = op.getCType().getRank() - 1, kDim = sizes.size() - 1;
  if (ShapedType::isDynamic(sizes[nDim]) || ShapedType::isDynamic(sizes[kDim]))
    return op->emitOpError("packed B needs a static number of columns and of rows");
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
                               << text(type.getDimSize(position)) << ", expected "
                               << text(sizes[map.getDimPosition(position)]);
  return success();
}

LogicalResult verifyEpilogue(ContractionOpInterface op) {
  Block &body = op.getEpilogue().front();
  Type c = op.getCType().getElementType();
  if (body.getNumArguments() != op.getEpilogueIns().size() + 1)
    return op->emitOpError() << "epilogue takes " << op.getEpilogueIns().size() + 1
                             << " scalars, found " << body.getNumArguments();
  Type accumulator = accumulatorOf(op.getAValueType(), op.getBValueType());
  if (body.getArgument(0).getType() != accumulator)
    return op->emitOpError() << "the accumulator must be " << accumulator << ", found "
                             << body.getArgument(0).getType();
  if (op.getAccumulate() && c != accumulator)
    return op->emitOpError() << "only C of the accumulator's type can be added to, found " << c;
  for (auto [operand, argument] : llvm::zip(op.getEpilogueIns(), body.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(operand.getType()))
      return op->emitOpError("an epilogue argument must have the type of its operand's elements");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValue().getType() != c)
    return op->emitOpError("the epilogue must yield one element of C");
  for (Operation &inner : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !inner.hasTrait<OpTrait::ConstantLike>())
      return op->emitOpError() << "'" << inner.getName() << "' in an epilogue is not elementwise";
  return success();
}

/// C and A define the iteration space.
LogicalResult verifySpace(ContractionOpInterface op) {
  auto c = cast<ShapedType>(op.getInit().getType());
  if (!c.hasRank() || c.getRank() < 2)
    return op->emitOpError("C must have at least two dimensions");
  if (op->getNumResults() != (isa<TensorType>(c) ? 1u : 0u))
    return op->emitOpError("has one result if C is a tensor and none if it is a memref");
  AffineMap aMap = op.getAMap();
  auto a = cast<ShapedType>(op.getA().getType());
  unsigned rank = c.getRank() + op.getReductionRank();
  bool reduced = aMap.getNumDims() == rank;
  for (unsigned dimension = c.getRank(); reduced && dimension < rank; ++dimension)
    reduced = aMap.isFunctionOfDim(dimension);
  if (op.getReductionSizes() && op.getReductionSizes()->size() != op.getReductionRank())
    return op->emitOpError() << "'reduction_sizes' has the sizes of " << op.getReductionRank()
                             << " dimensions, found " << op.getReductionSizes()->size();
  bool isPlain = aMap.isProjectedPermutation() && aMap.getNumResults() == a.getRank();
  if (!reduced || !(isPlain || op.getReductionSizes()))
    return op->emitOpError("A must be indexed by all reduction dimensions and have one dimension "
                           "per result of its map");
  if (!accumulatorOf(op.getAValueType(), op.getBValueType()))
    return op->emitOpError() << "A and B must be of types that are added up in the same one, found "
                             << op.getAType() << " and " << op.getBValueType();
  if (op.getF16Accumulate() &&
      (!op.getAType().isF16() || !op.getBType().isF16() || op.getStrictOrder()))
    return op->emitOpError("only products of f16, in any order, may be added up in f16");
  if ((op.getAUnsigned() && !op.getAType().isInteger(8)) ||
      (op.getBUnsigned() && !op.getBType().isInteger(8)))
    return op->emitOpError("only operands of i8 are signed or unsigned");
  return success();
}

/// Blockwise-quantized weights: kernels take one matrix of full panels.
LogicalResult verifyQuant(ContractionOpInterface op) {
  if (!op.getBQuant())
    return success();
  if (op.getPanel() != BlockwiseQuantAttr::panelWidth || op.getVnni() != 1 ||
      op.getReductionRank() != 1 || op.getStrictOrder())
    return op->emitOpError() << "blockwise-quantized weights need panels of "
                             << BlockwiseQuantAttr::panelWidth
                             << " columns without a VNNI factor, one reduction dimension, and "
                                "sums in any order";
  if (!op.getBType().isInteger(8))
    return op->emitOpError() << "blockwise-quantized weights are bytes, found " << op.getBType();
  return success();
}

LogicalResult verifyContraction(ContractionOpInterface op) {
  if (failed(verifyQuant(op)) || failed(verifySpace(op)))
    return failure();
  auto c = cast<ShapedType>(op.getInit().getType());
  SmallVector<int64_t> sizes = op.getIterationSizes();
  if (!op.getPanel() && op.getVnni() != 1)
    return op->emitOpError("only B in panels has a VNNI factor");
  if (failed(op.getReductionSizes() ? verifyWindow(op, sizes)
                                    : verifyOperand(op, "A", op.getA(), op.getAMap(), sizes)) ||
      failed(op.getPanel() ? verifyPackedB(op, sizes)
                           : verifyOperand(op, "B", op.getB(), op.getBMap(), sizes)))
    return failure();
  if (isa<MemRefType>(c) && llvm::is_contained(op->getOperands().drop_back(), op.getInit()))
    return op->emitOpError("C must not be one of the operands that are read");
  if (op.getEpilogueMaps().size() != op.getEpilogueIns().size())
    return op->emitOpError("needs one map per epilogue operand");
  for (auto [operand, map] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(verifyOperand(op, "an epilogue operand", operand, map, c.getShape())))
      return failure();
  return verifyEpilogue(op);
}

} // namespace

LogicalResult GemmOp::verify() { return verifyContraction(*this); }
LogicalResult BrgemmOp::verify() { return verifyContraction(*this); }

} // namespace kgen::tpp
