// Full-line stores for results whose rows begin within cache lines.
#include "transforms/vectorize/AlignedLineRows.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/BroadcastKind.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/vectorize/CollapseDimensions.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
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

  bool isPossible() {
    return canStoreFullLines(op) && op.getNumLoops() == 2 && beginsWithLine() &&
           followWithoutGaps(op, 1) &&
           exceedsLastLevel(target.cpu(),
                            bytesOf(viewSourceThroughLoops(op.getDpsInits()[0]).getType()));
  }

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

  /// True if the first row begins with a cache line: the tiles of a loop do, and its peeled
  /// remainder.
  bool beginsWithLine() {
    int64_t period = rowsToLineBoundary(type, target.cpu());
    auto slice = op.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
    std::optional<int64_t> first =
        slice ? getConstantIntValue(slice.getMixedOffsets().front()) : std::nullopt;
    return rows() % period == 0 || rows() > period || (first && *first % period == 0);
  }

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
      int64_t restOfRow = length() - column, width = std::min(line, end - offset);
      tensor = computeElements(add(start, offset), width, tensor, [&](OpOperand *input) {
        return width == restOfRow ? readInRow(input, row, index(column), width)
                                  : readAcrossRows(input, row, restOfRow, width);
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
  int64_t bytes = type.getShape().back() * bytesOfElement(type);
  return cpu.lineBytes / std::min(bytes & -bytes, cpu.lineBytes);
}

/// True if rows begin within cache lines, and if they are too short or not aligned for the
/// partial-line stores of kgen-non-temporal-results.
static bool beginWithinLines(RankedTensorType type, const Cpu &cpu) {
  int64_t bytes = type.getShape().back() * bytesOfElement(type),
          period = rowsToLineBoundary(type, cpu);
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  return period > 1 && period <= cpu.heuristics.maxLinePeriod && bytes >= cpu.lineBytes &&
         (isNarrow || bytes % cpu.minNonTemporalBytes != 0);
}

bool canStoreFullLines(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  unsigned loops = op.getNumLoops();
  if (!generic || loops < 2 || op.getNumParallelLoops() != loops || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  auto type = cast<RankedTensorType>(op.getDpsInits()[0].getType());
  auto isKnown = [&](OpOperand *input) {
    BroadcastKind kind = broadcastKindOf(op.getMatchingIndexingMap(input));
    return isa<RankedTensorType>(input->get().getType()) && kind != BroadcastKind::scalar &&
           kind != BroadcastKind::other;
  };
  auto isElementwise = [](Operation &inner) {
    return OpTrait::hasElementwiseMappableTraits(&inner) || inner.hasTrait<OpTrait::ConstantLike>();
  };
  return type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8 && beginWithinLines(type, cpuOf(op)) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op.getDpsInputOperands(), isKnown) &&
         llvm::all_of(generic.getBody()->without_terminator(), isElementwise);
}

Value vectorizeFullLines(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  if (!canStoreFullLines(op))
    return {};
  AlignedLineRows rows(rewriter, op, target);
  return rows.isPossible() ? rows.run() : Value();
}

} // namespace kgen
