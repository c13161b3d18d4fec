// Rows that fill no whole vectors, computed as if they were one.
#include "transforms/vectorize/FlattenedRows.h"

#include "dialect/kgen/Decisions.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/vectorize/AlignedLineRows.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// Vectors of as many elements as there are lanes, through as many rows: what they need of a row is
/// in a register that has it for all of these rows.
class FlatRows {
public:
  FlatRows(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), lanes(target.getVectorBits() / 32) {}

  bool isPossible() {
    return op.getNumLoops() == 2 && op.hasPureTensorSemantics() && canFlatten(op, target) &&
           rows() >= lanes && (rows() % lanes == 0 || !usesOld()) && followWithoutGaps(op, 1) &&
           isWorthIt();
  }

  Value run() {
    b.setInsertionPoint(op);
    places = rowsOfLanes();
    for (OpOperand *input : op.getDpsInputOperands())
      flat.push_back(isWhole(input) ? collapsed(input->get()) : input->get());
    auto body = [&](Value first, Value t) { return someRows(first, t); };
    int64_t together = rows() / lanes * lanes;
    Value result = buildFor(b, loc, 0, together, lanes, collapsed(op.getDpsInits()[0]), body);
    if (together != rows()) // some of them twice
      result = body(index(rows() - lanes), result);
    return tensor::ExpandShapeOp::create(b, loc, op.getResultTypes().front(), result, inOne());
  }

private:
  int64_t rows() { return op.getStaticLoopRanges()[0]; }
  int64_t length() { return op.getStaticLoopRanges()[1]; }

  bool isNarrowed() {
    return getElementTypeOrSelf(op.getDpsInits()[0].getType()).getIntOrFloatBitWidth() < 32;
  }

  bool usesOld() { return op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)); }

  /// Whether the last one of few vectors of a row takes as long as another one and does little; or
  /// whether it is whole lines that go past the caches (kgen-non-temporal-stores), where rows
  /// would be stored in pieces, or not at all.
  bool isWorthIt() {
    constexpr int64_t fewVectors = 4, leastStore = 16; // bytes
    int64_t tail = length() % lanes;
    bool isShort = length() < fewVectors * lanes,
         hasShortTail = tail == 1 || (8 * tail <= lanes && !isNarrowed());
    bool isFar = llvm::any_of(op->getOperands(), [&](Value operand) {
      return exceedsLastLevelCache(bytesOf(viewSourceThroughLoops(operand).getType()), target);
    });
    // Some rows twice would be no whole lines.
    if (isFar && rows() % lanes != 0 && canStoreFullLines(op))
      return false;
    return length() < lanes || (isShort && hasShortTail) ||
           (isFar && (isShort || 4 * length() % leastStore != 0));
  }

  bool isWhole(OpOperand *operand) { return op.getMatchingIndexingMap(operand).isIdentity(); }

  static SmallVector<ReassociationIndices> inOne() { return {{0, 1}}; }

  Value collapsed(Value tensor) { return tensor::CollapseShapeOp::create(b, loc, tensor, inOne()); }

  /// For each element of as many rows as there are lanes, which one of them it is in.
  Value rowsOfLanes() {
    SmallVector<int8_t> numbers;
    for (int64_t i = 0; i < lanes * length(); ++i)
      numbers.push_back(static_cast<int8_t>(i / length()));
    auto type = RankedTensorType::get({lanes * length()}, b.getI8Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
  }

  /// As many rows as there are lanes.
  Value someRows(Value first, Value tensor) {
    SmallVector<Value> ofRows(flat.size());
    for (OpOperand *input : op.getDpsInputOperands())
      if (!isWhole(input))
        ofRows[input->getOperandNumber()] = readVector(b, loc, input->get(), first, lanes);
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(length()));
    SmallVector<int64_t> widths = {lanes};
    // Two chains, and two registers that become one.
    if (isNarrowed() || llvm::any_of(*op.getBody(), [](Operation &op) { return isFunction(&op); }))
      widths.insert(widths.begin(), 2 * lanes);
    return buildVectorLoop(
        b, loc, lanes * length(), widths, tensor,
        [&](Value i, int64_t count, Value t) { return someElements(i, start, count, ofRows, t); });
  }

  Value someElements(Value i, Value start, int64_t count, ArrayRef<Value> ofRows, Value tensor) {
    Value at = b.createOrFold<arith::AddIOp>(loc, start, i);
    IRMapping values;
    for (OpOperand *input : op.getDpsInputOperands()) {
      unsigned number = input->getOperandNumber();
      values.map(op.getMatchingBlockArgument(input),
                 ofRows[number] ? spread(ofRows[number], i, count)
                                : readVector(b, loc, flat[number], at, count));
    }
    if (usesOld())
      values.map(op.getRegionOutputArgs().front(), readVector(b, loc, tensor, at, count));
    Value result = vectorizeBody(b, loc, *op.getBody(), values, count);
    return writeVector(b, loc, result, tensor, at);
  }

  /// What each element's row has, in a vector or two.
  Value spread(Value ofRows, Value i, int64_t count) {
    SmallVector<Value> parts;
    for (int64_t first = 0; first < count; first += lanes) {
      Value at = b.createOrFold<arith::AddIOp>(loc, i, index(first));
      Value numbers = arith::ExtUIOp::create(b, loc, VectorType::get({lanes}, b.getI32Type()),
                                             readVector(b, loc, places, at, lanes));
      parts.push_back(PermuteOp::create(b, loc, ofRows, numbers));
    }
    return parts.size() == 1
               ? parts.front()
               : vector::ShuffleOp::create(b, loc, parts.front(), parts.back(),
                                           llvm::to_vector(llvm::seq<int64_t>(0, count)))
                     .getResult();
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  TargetAttr target;
  int64_t lanes;
  Value places;
  SmallVector<Value> flat; ///< of operands with an element for each of the result
};

} // namespace

bool canFlatten(linalg::LinalgOp op, TargetAttr target) {
  constexpr int64_t bits = 32, tables = 8; // that the first-level cache has room for
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  unsigned loops = op.getNumLoops();
  int64_t lanes = target.getVectorBits() / bits;
  if (!generic || loops < 2 || op.getNumParallelLoops() != loops || op.getNumDpsInits() != 1 ||
      widestBits(generic) != bits || !target.hasFeature("avx2") || target.getVectorBits() < 256)
    return false;
  int64_t length = op.getStaticLoopRanges().back();
  // Two registers of 512 bits become one whole: parts of them are better turned.
  auto isNarrow = [](Value v) {
    return getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth() < bits;
  };
  bool isWide = target.getVectorBits() == 512;
  if (length < lanes && isWide && llvm::any_of(op->getOperands(), isNarrow))
    return false;
  // So many vectors of a row stay in registers; that the last one is nearly full costs nothing.
  if (isWide && length > 5 * lanes && length < 8 * lanes && 8 * (length % lanes) > 5 * lanes)
    return false;
  auto whole = AffineMap::getMultiDimIdentityMap(loops, op.getContext()),
       ofRows = whole.dropResult(loops - 1);
  auto isWhole = [&](OpOperand *operand) { return op.getMatchingIndexingMap(operand) == whole; };
  auto isOfRows = [&](OpOperand *operand) {
    return op.getMatchingIndexingMap(operand) == ofRows &&
           getElementTypeOrSelf(operand->get().getType()).isF32();
  };
  return !ShapedType::isDynamicShape(op.getStaticLoopRanges()) && length % lanes != 0 &&
         3 * length > 2 * lanes && tables * lanes * length <= target.getL1d() &&
         isWhole(op.getDpsInitOperand(0)) && llvm::any_of(op.getDpsInputOperands(), isOfRows) &&
         llvm::all_of(op.getDpsInputOperands(),
                      [&](OpOperand *input) { return isWhole(input) || isOfRows(input); }) &&
         llvm::all_of(generic.getBody()->without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>();
         });
}

Value vectorizeFlattened(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  FlatRows rows(rewriter, op, target);
  return rows.isPossible() ? rows.run() : Value();
}

} // namespace kgen
