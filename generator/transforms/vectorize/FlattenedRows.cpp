// Elementwise operations on rows that do not fill vectors, flattened to one long row.
// Each operand is full or has one f32 per row; rows are short enough for a table of row numbers in
// the L1.
#include "analysis/AccessPattern.h"
#include "costmodel/Caches.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"
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
    if (isNarrowed() ||
        llvm::any_of(*op.getBody(), [](Operation &op) { return isMathFunction(&op); }))
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

constexpr int64_t bits = 32; ///< of a lane

bool isFullOperand(linalg::GenericOp op, OpOperand *operand) {
  return AccessPattern(op, *operand).isFull();
}

bool isPerRowOperand(linalg::GenericOp op, OpOperand *operand) {
  return AccessPattern(op, *operand).broadcastKind() == BroadcastKind::perRow &&
         getElementTypeOrSelf(operand->get().getType()).isF32();
}

/// True for elementwise operations with an f32 per row and otherwise full operands.
bool broadcastsPerRow(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  return loops >= 2 && op.getNumParallelLoops() == loops && op.getNumDpsInits() == 1 &&
         isFullOperand(op, op.getDpsInitOperand(0)) &&
         llvm::any_of(op.getDpsInputOperands(),
                      [&](OpOperand *input) { return isPerRowOperand(op, input); }) &&
         llvm::all_of(op.getDpsInputOperands(),
                      [&](OpOperand *input) {
                        return isFullOperand(op, input) || isPerRowOperand(op, input);
                      }) &&
         hasScalarBody(op);
}

/// Returns why rows of this length are not flattened; empty if they may be.
StringRef refusalOfLength(linalg::GenericOp op, TargetAttr target) {
  const Heuristics &limits = target.tradeoffs();
  int64_t lanes = target.getVectorBits() / bits, length = op.getStaticLoopRanges().back(),
          tail = length % lanes;
  if (tail == 0)
    return "rows fill vectors";
  if (double(length) <= limits.minFlattenedShare * double(lanes))
    return "rows are so short that they are better transposed";
  if (!fits(target.cpu(), lanes * length, Cache::l1, Share::eighth))
    return "the table of row numbers would take too much of the L1";
  if (target.getVectorBits() < 512)
    return "";
  auto isNarrow = [](Value v) {
    return getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth() < bits;
  };
  // Two registers of 512 bits narrow to one.
  if (length < lanes && llvm::any_of(op->getOperands(), isNarrow))
    return "short rows of narrow elements are better transposed";
  if (length > limits.minRegisterRow * lanes &&
      length<limits.maxRegisterRow * lanes &&double(tail)> limits.minRegisterTail * double(lanes))
    return "the vectors of a row stay in registers, and the last one is nearly full";
  return "";
}

/// Returns why the operation, as it is after tiling, cannot be flattened or gains nothing; empty
/// if it can be.
StringRef refusalOfTile(linalg::GenericOp op, TargetAttr target, Stores stores) {
  const Cpu &cpu = target.cpu();
  int64_t lanes = target.getVectorBits() / bits, rows = op.getStaticLoopRanges()[0],
          length = op.getStaticLoopRanges().back();
  if (op.getNumLoops() != 2 || !op.hasPureTensorSemantics() || !followWithoutGaps(op, 1))
    return "rows do not follow each other in memory";
  bool isUneven = rows % lanes != 0; // then the last rows are computed twice
  if (rows < lanes || (isUneven && op.payloadUsesValueFromOperand(op.getDpsInitOperand(0))))
    return "rows are no multiple of the lanes";
  if (isUneven && usesMemory(stores) && fullLines().matchRows(op, target, stores).plan)
    return "the last rows, which are computed twice, would be no full lines";
  bool isAligned = length * (bits / 8) % cpu.minNonTemporalBytes == 0;
  return isAligned && length >= cpu.heuristics.maxFlattenedVectors * lanes
             ? "rows are long and begin where non-temporal stores may"
             : "";
}

class FlattenedRowsPlan : public VectorizationPlan {
public:
  FlattenedRowsPlan(linalg::GenericOp op, TargetAttr target, Stores stores)
      : op(op), target(target) {
    dimension = op.getNumLoops() - 1;
    lanes = target.getVectorBits() / bits;
    cost = cyclesInFlattenedRows(target.cpu(), vectorRowsOf(op, dimension, lanes, stores));
  }

  void emit(IRRewriter &rewriter) override {
    rewriter.replaceOp(op, FlattenedRows(rewriter, op, target).run());
  }

private:
  linalg::GenericOp op;
  TargetAttr target;
};

VectorizationMatch matchFlattenedRows(linalg::GenericOp op, TargetAttr target, Stores stores) {
  if (!broadcastsPerRow(op))
    return {};
  if (!target.cpu().hasRegisterGather || target.getVectorBits() < 256)
    return {nullptr, "the target has no permutes by indices in a register"};
  if (widestBits(op) != bits)
    return {nullptr, "elements are not computed in 32 bits"};
  if (ShapedType::isDynamicShape(op.getStaticLoopRanges()))
    return {nullptr, "a dimension is dynamic"};
  if (StringRef why = refusalOfLength(op, target); !why.empty())
    return {nullptr, why};
  return {std::make_unique<FlattenedRowsPlan>(op, target, stores)};
}

VectorizationMatch matchFlattenedTile(linalg::GenericOp op, TargetAttr target) {
  Stores stores = storesOf(op, target);
  VectorizationMatch match = matchFlattenedRows(op, target, stores);
  if (match.plan)
    if (StringRef why = refusalOfTile(op, target, stores); !why.empty())
      return {nullptr, why};
  return match;
}

} // namespace

const VectorizationStrategy &flattenedRows() {
  static constexpr VectorizationStrategy strategy{"flattened-rows", "rows flattened to one",
                                                  /*fusesReader=*/false, matchFlattenedTile,
                                                  matchFlattenedRows};
  return strategy;
}

} // namespace kgen
