// Full-line stores for results whose rows begin within cache lines.
#include "transforms/vectorize/AlignedLineRows.h"

#include "analysis/AccessPattern.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// Elements of a cache line of the result.
int64_t elementsPerLine(RankedTensorType type, const Cpu &cpu) {
  return cpu.lineBytes / bytesOfElement(type);
}

class AlignedLineRows {
public:
  AlignedLineRows(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), type(typeOf(op.getDpsInits()[0])) {}

  Value run() {
    b.setInsertionPoint(op);
    line = elementsPerLine(type, target.cpu());
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(mapOf(input).isIdentity() ? flatten(input->get()) : input->get());
    int64_t period = rowsToLineBoundary(type, target.cpu()), whole = rows() / period * period;
    Value result = buildFor(b, loc, 0, whole, period, flatten(op.getDpsInits()[0]),
                            [&](Value first, Value t) { return computeRows(first, period, t); });
    if (whole != rows())
      result = computeRows(index(whole), rows() - whole, result);
    return tensor::ExpandShapeOp::create(b, loc, op.getResultTypes().front(), result, bothDims());
  }

private:
  static RankedTensorType typeOf(Value v) { return cast<RankedTensorType>(v.getType()); }
  static SmallVector<ReassociationIndices> bothDims() { return {{0, 1}}; }

  int64_t rows() { return type.getDimSize(0); }
  int64_t length() { return type.getDimSize(1); }
  AffineMap mapOf(OpOperand *operand) { return op.getMatchingIndexingMap(operand); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value flatten(Value tensor) {
    return tensor::CollapseShapeOp::create(b, loc, tensor, bothDims());
  }

  Value add(Value value, int64_t more) {
    return more == 0 ? value : b.createOrFold<arith::AddIOp>(loc, value, index(more));
  }

  /// Computes `count` rows from `first` on, which begins with a cache line.
  Value computeRows(Value first, int64_t count, Value tensor) {
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(length()));
    int64_t end = count * length();
    for (int64_t offset = 0; offset < end;) {
      Value row = add(first, offset / length()), begin = add(start, offset);
      int64_t column = offset % length(), inside = (length() - column) / line * line;
      tensor = buildFor(b, loc, 0, inside, line, tensor, [&](Value i, Value t) {
        Value current = b.createOrFold<arith::AddIOp>(loc, begin, i);
        return computeElements(current, line, t, [&](OpOperand *input) {
          return readInRow(input, row, add(i, column), line);
        });
      });
      offset += inside;
      column += inside;
      if (column == length())
        continue;
      int64_t remainderOfRow = length() - column, width = std::min(line, end - offset);
      tensor = computeElements(add(start, offset), width, tensor, [&](OpOperand *input) {
        return width == remainderOfRow ? readInRow(input, row, index(column), width)
                                       : readAcrossRows(input, row, remainderOfRow, width);
      });
      offset += width;
    }
    return tensor;
  }

  /// Computes `count` elements from `begin` on in the flattened result; `other` reads the operands
  /// that are broadcast.
  Value computeElements(Value begin, int64_t count, Value tensor,
                        llvm::function_ref<Value(OpOperand *)> other) {
    IRMapping values;
    for (OpOperand *input : op.getDpsInputOperands())
      values.map(op.getMatchingBlockArgument(input),
                 mapOf(input).isIdentity()
                     ? readVector(b, loc, operands[input->getOperandNumber()], begin, count)
                     : other(input));
    if (op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      values.map(op.getRegionOutputArgs().front(), readVector(b, loc, tensor, begin, count));
    return writeVector(b, loc, vectorizeBody(b, loc, *op.getBody(), values, count), tensor, begin);
  }

  bool isPerRow(OpOperand *input) { return mapOf(input).isFunctionOfDim(0); }

  Value readRowElement(OpOperand *input, Value row) {
    return tensor::ExtractOp::create(b, loc, input->get(), row);
  }

  /// Reads the element of a row that all columns share, or a row's elements from `column` on.
  Value readInRow(OpOperand *input, Value row, Value column, int64_t count) {
    return isPerRow(input) ? readRowElement(input, row)
                           : readVector(b, loc, input->get(), column, count);
  }

  /// Reads the last `ofFirst` elements of a row and the first ones of the next row, `count`
  /// together.
  Value readAcrossRows(OpOperand *input, Value row, int64_t ofFirst, int64_t count) {
    Value last, first;
    if (isPerRow(input)) {
      last = broadcastToLanes(b, loc, readRowElement(input, row), line);
      first = broadcastToLanes(b, loc, readRowElement(input, add(row, 1)), line);
    } else {
      last = readVector(b, loc, input->get(), index(length() - line), line);
      first = readVector(b, loc, input->get(), index(0), line);
    }
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < count; ++lane)
      mask.push_back(lane < ofFirst ? line - ofFirst + lane : line + lane - ofFirst);
    return vector::ShuffleOp::create(b, loc, last, first, mask);
  }

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  TargetAttr target;
  RankedTensorType type;
  int64_t line = 0;            ///< elements
  SmallVector<Value> operands; ///< flattened if they are as large as the result
};

} // namespace

int64_t rowsToLineBoundary(RankedTensorType type, const Cpu &cpu) {
  if (type.isDynamicDim(type.getRank() - 1)) // of rows of any length
    return cpu.lineBytes / bytesOfElement(type);
  int64_t bytes = type.getShape().back() * bytesOfElement(type);
  return cpu.lineBytes / std::min(bytes & -bytes, cpu.lineBytes);
}

namespace {

RankedTensorType resultType(linalg::GenericOp op) {
  return cast<RankedTensorType>(op.getDpsInits()[0].getType());
}

/// True for elementwise operations on tensors with an element for each element, row or column of
/// the result.
bool isOnRows(linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  if (loops < 2 || op.getNumParallelLoops() != loops || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  auto isKnown = [&](OpOperand *input) {
    BroadcastKind kind = AccessPattern(op, *input).broadcastKind();
    return isa<RankedTensorType>(input->get().getType()) && kind != BroadcastKind::scalar &&
           kind != BroadcastKind::other;
  };
  RankedTensorType type = resultType(op);
  return type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op.getDpsInputOperands(), isKnown) && hasScalarBody(op);
}

/// Returns why rows of this type need no full lines, or cannot have them; empty if they can.
StringRef refusalOfRows(RankedTensorType type, const Cpu &cpu) {
  int64_t bytes = type.getShape().back() * bytesOfElement(type),
          period = rowsToLineBoundary(type, cpu);
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  if (period == 1)
    return "rows begin with cache lines";
  if (period > cpu.heuristics.maxLinePeriod || bytes < cpu.lineBytes)
    return "rows begin at too many different offsets in cache lines, or are shorter";
  return isNarrow || bytes % cpu.minNonTemporalBytes != 0
             ? ""
             : "rows begin where non-temporal stores of parts of lines may";
}

/// True if the first row begins with a cache line: the tiles of a loop do, and its peeled
/// remainder.
bool beginsWithLine(linalg::GenericOp op, const Cpu &cpu) {
  RankedTensorType type = resultType(op);
  int64_t period = rowsToLineBoundary(type, cpu), rows = type.getDimSize(0);
  auto slice = op.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
  std::optional<int64_t> first =
      slice ? getConstantIntValue(slice.getMixedOffsets().front()) : std::nullopt;
  return rows % period == 0 || rows > period || (first && *first % period == 0);
}

class FullLinesPlan : public VectorizationPlan {
public:
  FullLinesPlan(linalg::GenericOp op, TargetAttr target, Stores stores) : op(op), target(target) {
    dimension = op.getNumLoops() - 1;
    lanes = std::max<int64_t>(1, target.getVectorBits() / widestBits(op));
    VectorRows rows = vectorRowsOf(op, dimension, lanes, stores);
    if (bitEnumContainsAny(stores, Stores::alongRows))
      rows.stores = RowStores::cached; // non-temporal stores of whole lines
    cost = cyclesInFullLines(target.cpu(), rows);
  }

  void emit(IRRewriter &rewriter) override {
    rewriter.replaceOp(op, AlignedLineRows(rewriter, op, target).run());
  }

private:
  linalg::GenericOp op;
  TargetAttr target;
};

VectorizationMatch matchFullLineRows(linalg::GenericOp op, TargetAttr target, Stores stores) {
  if (!isOnRows(op))
    return {};
  if (StringRef why = refusalOfRows(resultType(op), target.cpu()); !why.empty())
    return {nullptr, why};
  return {std::make_unique<FullLinesPlan>(op, target, stores)};
}

VectorizationMatch matchFullLines(linalg::GenericOp op, TargetAttr target) {
  VectorizationMatch match = matchFullLineRows(op, target, storesOf(op, target));
  if (!match.plan)
    return match;
  if (op.getNumLoops() != 2 || !followWithoutGaps(op, 1))
    return {nullptr, "rows do not follow each other in memory"};
  if (!beginsWithLine(op, target.cpu()))
    return {nullptr, "the first row does not begin with a cache line"};
  return match;
}

} // namespace

const VectorizationStrategy &fullLines() {
  static constexpr VectorizationStrategy strategy{
      "full-lines", "vectors that are full cache lines of the result",
      /*fusesReader=*/false, matchFullLines, matchFullLineRows};
  return strategy;
}

} // namespace kgen
