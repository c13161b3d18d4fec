// Whole lines of results whose rows begin within them.
#include "transforms/vectorize/AlignedLineRows.h"

#include "dialect/kgen/Decisions.h"
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

constexpr int64_t maxRows = 32; ///< that differ in where lines begin: code for each of them

/// Elements of a line of the result.
int64_t elementsOfLine(RankedTensorType type) { return lineBytes / bytesOfElement(type); }

class LineRows {
public:
  LineRows(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), type(typeOf(op.getDpsInits()[0])) {}

  bool isPossible() {
    return canStoreFullLines(op) && op.getNumLoops() == 2 && beginsWithLine() &&
           followWithoutGaps(op, 1) &&
           exceedsLastLevelCache(bytesOf(viewSourceThroughLoops(op.getDpsInits()[0]).getType()),
                                 target);
  }

  Value run() {
    b.setInsertionPoint(op);
    line = elementsOfLine(type);
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(mapOf(input).isIdentity() ? flat(input->get()) : input->get());
    int64_t unit = rowsToLineBoundary(type), whole = rows() / unit * unit;
    Value result = buildFor(b, loc, 0, whole, unit, flat(op.getDpsInits()[0]),
                            [&](Value first, Value t) { return someRows(first, unit, t); });
    if (whole != rows())
      result = someRows(index(whole), rows() - whole, result);
    return tensor::ExpandShapeOp::create(b, loc, op.getResultTypes().front(), result, inOne());
  }

private:
  static RankedTensorType typeOf(Value v) { return cast<RankedTensorType>(v.getType()); }
  static SmallVector<ReassociationIndices> inOne() { return {{0, 1}}; }

  /// Whether the first row does: in a loop over blocks, or behind it.
  bool beginsWithLine() {
    int64_t unit = rowsToLineBoundary(type);
    auto slice = op.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
    std::optional<int64_t> first =
        slice ? getConstantIntValue(slice.getMixedOffsets().front()) : std::nullopt;
    return rows() % unit == 0 || rows() > unit || (first && *first % unit == 0);
  }

  int64_t rows() { return type.getDimSize(0); }
  int64_t length() { return type.getDimSize(1); }
  AffineMap mapOf(OpOperand *operand) { return op.getMatchingIndexingMap(operand); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value flat(Value tensor) { return tensor::CollapseShapeOp::create(b, loc, tensor, inOne()); }

  Value plus(Value value, int64_t more) {
    return more == 0 ? value : b.createOrFold<arith::AddIOp>(loc, value, index(more));
  }

  /// Rows from one that begins with a line on.
  Value someRows(Value first, int64_t count, Value tensor) {
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(length()));
    int64_t end = count * length();
    for (int64_t place = 0; place < end;) {
      Value row = plus(first, place / length()), at = plus(start, place);
      int64_t column = place % length(), inside = (length() - column) / line * line;
      tensor = buildFor(b, loc, 0, inside, line, tensor, [&](Value i, Value t) {
        Value here = b.createOrFold<arith::AddIOp>(loc, at, i);
        return someElements(here, line, t, [&](OpOperand *input) {
          return inRow(input, row, plus(i, column), line);
        });
      });
      place += inside;
      column += inside;
      if (column == length())
        continue;
      int64_t ofRow = length() - column, together = std::min(line, end - place);
      tensor = someElements(plus(start, place), together, tensor, [&](OpOperand *input) {
        return together == ofRow ? inRow(input, row, index(column), together)
                                 : ofTwoRows(input, row, ofRow, together);
      });
      place += together;
    }
    return tensor;
  }

  /// What the elements at a place become; `other` reads what is not as large as the result.
  Value someElements(Value at, int64_t count, Value tensor,
                     llvm::function_ref<Value(OpOperand *)> other) {
    IRMapping values;
    for (OpOperand *input : op.getDpsInputOperands())
      values.map(op.getMatchingBlockArgument(input),
                 mapOf(input).isIdentity()
                     ? readVector(b, loc, operands[input->getOperandNumber()], at, count)
                     : other(input));
    if (op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      values.map(op.getRegionOutputArgs().front(), readVector(b, loc, tensor, at, count));
    return writeVector(b, loc, vectorizeBody(b, loc, *op.getBody(), values, count), tensor, at);
  }

  bool isOfRows(OpOperand *input) { return mapOf(input).isFunctionOfDim(0); }

  Value ofRow(OpOperand *input, Value row) {
    return tensor::ExtractOp::create(b, loc, input->get(), row);
  }

  /// The number of a row, or those of some columns.
  Value inRow(OpOperand *input, Value row, Value column, int64_t count) {
    return isOfRows(input) ? ofRow(input, row) : readVector(b, loc, input->get(), column, count);
  }

  /// The last ones of a row, and then the first ones of the next: `count` of them together.
  Value ofTwoRows(OpOperand *input, Value row, int64_t ofFirst, int64_t count) {
    Value last, first;
    if (isOfRows(input)) {
      last = broadcastToLanes(b, loc, ofRow(input, row), line);
      first = broadcastToLanes(b, loc, ofRow(input, plus(row, 1)), line);
    } else {
      last = readVector(b, loc, input->get(), index(length() - line), line);
      first = readVector(b, loc, input->get(), index(0), line);
    }
    SmallVector<int64_t> places;
    for (int64_t lane = 0; lane < count; ++lane)
      places.push_back(lane < ofFirst ? line - ofFirst + lane : line + lane - ofFirst);
    return vector::ShuffleOp::create(b, loc, last, first, places);
  }

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  TargetAttr target;
  RankedTensorType type;
  int64_t line = 0;            ///< elements
  SmallVector<Value> operands; ///< those that are as large as the result as one row
};

} // namespace

int64_t rowsToLineBoundary(RankedTensorType type) {
  int64_t bytes = type.getShape().back() * bytesOfElement(type);
  return lineBytes / std::min(bytes & -bytes, lineBytes);
}

/// Whether rows begin within lines, but not where kgen-non-temporal-stores stores parts of lines.
static bool beginWithinLines(RankedTensorType type) {
  constexpr int64_t leastStore = 16; // bytes
  int64_t bytes = type.getShape().back() * bytesOfElement(type), unit = rowsToLineBoundary(type);
  bool isNarrow = type.getElementTypeBitWidth() < 32;
  return unit > 1 && unit <= maxRows && bytes >= lineBytes && (isNarrow || bytes % leastStore != 0);
}

bool canStoreFullLines(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  unsigned loops = op.getNumLoops();
  if (!generic || loops < 2 || op.getNumParallelLoops() != loops || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  auto type = cast<RankedTensorType>(op.getDpsInits()[0].getType());
  MLIRContext *context = op.getContext();
  auto whole = AffineMap::getMultiDimIdentityMap(loops, context),
       rows = whole.dropResult(loops - 1),
       columns = AffineMap::get(loops, 0, getAffineDimExpr(loops - 1, context));
  auto isKnown = [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return isa<RankedTensorType>(input->get().getType()) &&
           (map == whole || map == rows || map == columns);
  };
  auto isElementwise = [](Operation &inner) {
    return OpTrait::hasElementwiseMappableTraits(&inner) || inner.hasTrait<OpTrait::ConstantLike>();
  };
  return type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() >= 8 && beginWithinLines(type) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)) == whole &&
         llvm::all_of(op.getDpsInputOperands(), isKnown) &&
         llvm::all_of(generic.getBody()->without_terminator(), isElementwise);
}

Value vectorizeFullLines(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  if (!canStoreFullLines(op))
    return {};
  LineRows rows(rewriter, op, target);
  return rows.isPossible() ? rows.run() : Value();
}

} // namespace kgen
