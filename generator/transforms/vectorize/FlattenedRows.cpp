// Elementwise operations on rows that do not fill vectors, flattened to one long row.
#include "transforms/vectorize/FlattenedRows.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/BroadcastKind.h"
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

/// Processes as many rows as there are lanes in vectors that go across row ends. A register holds
/// one element of each of these rows; kgen.dynamic_permute broadcasts it to the elements of its
/// row.
class FlattenedRows {
public:
  FlattenedRows(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), lanes(target.getVectorBits() / 32) {}

  bool isPossible() {
    return op.getNumLoops() == 2 && op.hasPureTensorSemantics() && canFlatten(op, target) &&
           rows() >= lanes && (rows() % lanes == 0 || !usesInit()) && followWithoutGaps(op, 1) &&
           isFaster();
  }

  Value run() {
    b.setInsertionPoint(op);
    rowTable = buildRowTable();
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(isFull(input) ? collapse(input->get()) : input->get());
    auto body = [&](Value first, Value t) { return computeRows(first, t); };
    int64_t wholeGroups = rows() / lanes * lanes;
    Value result = buildFor(b, loc, 0, wholeGroups, lanes, collapse(op.getDpsInits()[0]), body);
    if (wholeGroups != rows()) // the last rows overlap
      result = body(index(rows() - lanes), result);
    return tensor::ExpandShapeOp::create(b, loc, op.getResultTypes().front(), result, bothDims());
  }

private:
  int64_t rows() { return op.getStaticLoopRanges()[0]; }
  int64_t length() { return op.getStaticLoopRanges()[1]; }

  bool isNarrowed() {
    return getElementTypeOrSelf(op.getDpsInits()[0].getType()).getIntOrFloatBitWidth() < 32;
  }

  bool usesInit() { return op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)); }

  /// True if flattening saves time: the last vector of a row is nearly empty and there are few, or
  /// the result goes to memory, where flattened rows are full-line stores
  /// (kgen-non-temporal-results).
  bool isFaster() {
    const Cpu &cpu = target.cpu();
    int64_t tail = length() % lanes;
    bool hasFewVectors = length() < cpu.heuristics.maxFlattenedVectors * lanes,
         hasShortTail = tail == 1 || (8 * tail <= lanes && !isNarrowed());
    bool isInMemory = llvm::any_of(op->getOperands(), [&](Value operand) {
      return exceedsLastLevel(cpu, bytesOf(viewSourceThroughLoops(operand).getType()));
    });
    // The last rows, which are computed twice, would not be full lines.
    if (isInMemory && rows() % lanes != 0 && canStoreFullLines(op))
      return false;
    return length() < lanes || (hasFewVectors && hasShortTail) ||
           (isInMemory && (hasFewVectors || 4 * length() % cpu.minNonTemporalBytes != 0));
  }

  bool isFull(OpOperand *operand) { return op.getMatchingIndexingMap(operand).isIdentity(); }

  static SmallVector<ReassociationIndices> bothDims() { return {{0, 1}}; }

  Value collapse(Value tensor) {
    return tensor::CollapseShapeOp::create(b, loc, tensor, bothDims());
  }

  /// Builds the table of row numbers: for each element of as many rows as there are lanes.
  Value buildRowTable() {
    SmallVector<int8_t> rowNumbers;
    for (int64_t i = 0; i < lanes * length(); ++i)
      rowNumbers.push_back(static_cast<int8_t>(i / length()));
    auto type = RankedTensorType::get({lanes * length()}, b.getI8Type());
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef(rowNumbers)));
  }

  /// Computes as many rows as there are lanes, from `first` on.
  Value computeRows(Value first, Value tensor) {
    SmallVector<Value> perRow(operands.size());
    for (OpOperand *input : op.getDpsInputOperands())
      if (!isFull(input))
        perRow[input->getOperandNumber()] = readVector(b, loc, input->get(), first, lanes);
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(length()));
    SmallVector<int64_t> widths = {lanes};
    // Two independent chains of instructions; two registers of f32 narrow to one.
    if (isNarrowed() || llvm::any_of(*op.getBody(), [](Operation &op) { return isMathFunction(&op); }))
      widths.insert(widths.begin(), 2 * lanes);
    return buildVectorLoop(b, loc, lanes * length(), widths, tensor,
                           [&](Value i, int64_t count, Value t) {
                             return computeElements(i, start, count, perRow, t);
                           });
  }

  Value computeElements(Value i, Value start, int64_t count, ArrayRef<Value> perRow, Value tensor) {
    Value begin = b.createOrFold<arith::AddIOp>(loc, start, i);
    IRMapping values;
    for (OpOperand *input : op.getDpsInputOperands()) {
      unsigned number = input->getOperandNumber();
      values.map(op.getMatchingBlockArgument(input),
                 perRow[number] ? broadcastToRows(perRow[number], i, count)
                                : readVector(b, loc, operands[number], begin, count));
    }
    if (usesInit())
      values.map(op.getRegionOutputArgs().front(), readVector(b, loc, tensor, begin, count));
    Value result = vectorizeBody(b, loc, *op.getBody(), values, count);
    return writeVector(b, loc, result, tensor, begin);
  }

  /// Broadcasts `ofRows` to the elements of their rows: `count` elements from `i` on.
  Value broadcastToRows(Value perRow, Value i, int64_t count) {
    SmallVector<Value> registers;
    for (int64_t first = 0; first < count; first += lanes) {
      Value begin = b.createOrFold<arith::AddIOp>(loc, i, index(first));
      Value rowNumbers = arith::ExtUIOp::create(b, loc, VectorType::get({lanes}, b.getI32Type()),
                                                readVector(b, loc, rowTable, begin, lanes));
      registers.push_back(DynamicPermuteOp::create(b, loc, perRow, rowNumbers));
    }
    return registers.size() == 1
               ? registers.front()
               : vector::ShuffleOp::create(b, loc, registers.front(), registers.back(),
                                           llvm::to_vector(llvm::seq<int64_t>(0, count)))
                     .getResult();
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  TargetAttr target;
  int64_t lanes;
  Value rowTable;
  SmallVector<Value> operands; ///< flattened if they are as large as the result
};

} // namespace

bool canFlatten(linalg::LinalgOp op, TargetAttr target) {
  constexpr int64_t bits = 32;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  unsigned loops = op.getNumLoops();
  int64_t lanes = target.getVectorBits() / bits;
  if (!generic || loops < 2 || op.getNumParallelLoops() != loops || op.getNumDpsInits() != 1 ||
      widestBits(generic) != bits || !target.cpu().hasRegisterGather ||
      target.getVectorBits() < 256)
    return false;
  int64_t length = op.getStaticLoopRanges().back();
  // Two registers of 512 bits narrow to one: short rows of these are better transposed.
  auto isNarrow = [](Value v) {
    return getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth() < bits;
  };
  bool isWide = target.getVectorBits() == 512;
  if (length < lanes && isWide && llvm::any_of(op->getOperands(), isNarrow))
    return false;
  // Six to eight vectors of a row stay in registers, and a nearly full tail wastes little.
  if (isWide && length > 5 * lanes && length < 8 * lanes && 8 * (length % lanes) > 5 * lanes)
    return false;
  auto kindOf = [&](OpOperand *operand) {
    return broadcastKindOf(op.getMatchingIndexingMap(operand));
  };
  auto isFull = [&](OpOperand *operand) { return kindOf(operand) == BroadcastKind::none; };
  auto isPerRow = [&](OpOperand *operand) {
    return kindOf(operand) == BroadcastKind::perRow &&
           getElementTypeOrSelf(operand->get().getType()).isF32();
  };
  return !ShapedType::isDynamicShape(op.getStaticLoopRanges()) && length % lanes != 0 &&
         3 * length > 2 * lanes && fits(target.cpu(), lanes * length, Cache::l1, Share::eighth) &&
         isFull(op.getDpsInitOperand(0)) && llvm::any_of(op.getDpsInputOperands(), isPerRow) &&
         llvm::all_of(op.getDpsInputOperands(),
                      [&](OpOperand *input) { return isFull(input) || isPerRow(input); }) &&
         llvm::all_of(generic.getBody()->without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>();
         });
}

Value vectorizeFlattened(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  FlattenedRows rows(rewriter, op, target);
  return rows.isPossible() ? rows.run() : Value();
}

} // namespace kgen
