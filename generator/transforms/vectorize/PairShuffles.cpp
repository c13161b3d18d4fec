// Elementwise operations on pairs of neighbours in which each element reads the other one of its
// pair, like interleaved rotary embeddings: a vector holds several pairs, and elements change
// places in it.
#include "analysis/AccessPattern.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <array>

using namespace mlir;

namespace kgen {

namespace {

/// Elements of a pair that are read for the first and for the second one. Nothing if the index is
/// none of a pair.
using PairIndex = std::optional<std::array<int64_t, 2>>;

/// Builds the loops of one operation. The loops of the result's last two dimensions are one loop
/// over vectors of whole pairs.
class PairVectorizer {
public:
  PairVectorizer(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), target(target), sizes(op.getStaticLoopRanges()),
        ivs(sizes.size()) {}

  bool matches() {
    if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
        op.getNumParallelLoops() != op.getNumLoops() || op.getNumLoops() < 2 ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
        llvm::any_of(sizes, ShapedType::isDynamic))
      return false;
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!out.isPermutation())
      return false;
    pairs = out.getDimPosition(out.getNumResults() - 2);
    within = out.getDimPosition(out.getNumResults() - 1);
    lanes = target.getVectorBits() / widestBits(op);
    return sizes[within] == pair && lanes >= pair && readsElement() &&
           llvm::all_of(op->getOpOperands(),
                        [&](OpOperand &operand) { return isKnown(operand); }) &&
           hasScalarBody(op);
  }

  int64_t pairLoop() const { return pairs; }
  int64_t elementsOfVector() const { return lanes; }
  /// Shuffles of registers for each vector of the result: one for each operand that is not read as
  /// it is stored.
  int64_t shuffles() {
    return llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *input) {
      return pairIndex(*input) != PairIndex({0, 1}) || !isFull(*input);
    });
  }

  Value run() {
    b.setInsertionPoint(op);
    for (OpOperand *input : op.getDpsInputOperands())
      operands.push_back(isFull(*input) ? collapsed(input->get()) : input->get());
    Value init = op.getDpsInits()[0];
    Value result = buildLoops(0, collapsed(init));
    return tensor::ExpandShapeOp::create(b, loc, init.getType(), result, groupsOf(init));
  }

private:
  static constexpr int64_t pair = 2; // elements of the innermost dimension

  AffineMap mapOf(OpOperand &operand) { return op.getMatchingIndexingMap(&operand); }
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  /// True if an operand is read at the second elements of its pairs.
  bool readsElement() {
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      PairIndex of =
          isa<RankedTensorType>(input->get().getType()) ? pairIndex(*input) : PairIndex();
      return of && (*of)[0] == 1;
    });
  }

  /// The last index of an operand.
  PairIndex pairIndex(OpOperand &operand) {
    AffineMap map = mapOf(operand);
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (map.getNumResults() == 0 || type.getShape().back() != pair)
      return std::nullopt;
    AffineExpr last = map.getResults().back();
    if (auto constant = dyn_cast<AffineConstantExpr>(last))
      return PairIndex({constant.getValue(), constant.getValue()});
    return last == b.getAffineDimExpr(within) ? PairIndex({0, 1}) : std::nullopt;
  }

  /// True for an operand whose last two dimensions are those of the result.
  bool isFull(OpOperand &operand) {
    AffineMap map = mapOf(operand);
    return pairIndex(operand) && map.getNumResults() >= 2 &&
           map.getResult(map.getNumResults() - 2) == b.getAffineDimExpr(pairs);
  }

  /// True if the pairs of an operand are contiguous, or the same everywhere.
  bool isKnown(OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() % 8 != 0)
      return false;
    ArrayRef<AffineExpr> outer = mapOf(operand).getResults();
    if (isFull(operand))
      outer = outer.drop_back(2);
    else if (pairIndex(operand) || (!outer.empty() && outer.back() == b.getAffineDimExpr(pairs)))
      outer = outer.drop_back(1);
    return llvm::all_of(outer, [&](AffineExpr expression) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      return loop ? loop.getPosition() != pairs && loop.getPosition() != within
                  : expression == b.getAffineConstantExpr(0);
    });
  }

  static SmallVector<ReassociationIndices> groupsOf(Value tensor) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d + 1 < rank; ++d)
      groups.push_back({d});
    groups.back().push_back(rank - 1);
    return groups;
  }

  Value collapsed(Value tensor) {
    return tensor::CollapseShapeOp::create(b, loc, tensor, groupsOf(tensor));
  }

  /// Loops in the order of the result's dimensions.
  Value buildLoops(unsigned position, Value tensor) {
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (position + 2 < out.getNumResults()) {
      unsigned loop = out.getDimPosition(position);
      return buildFor(b, loc, 0, sizes[loop], 1, tensor, [&](Value i, Value inner) {
        ivs[loop] = i;
        return buildLoops(position + 1, inner);
      });
    }
    Type stored = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    SmallVector<int64_t> widths{lanes};
    if (stored.getIntOrFloatBitWidth() < widestBits(op)) // two registers narrow to one
      widths.insert(widths.begin(), 2 * lanes);
    return buildVectorLoop(b, loc, pair * sizes[pairs], widths, tensor,
                           [&](Value i, int64_t count, Value t) { return compute(i, count, t); });
  }

  /// Computes `count` elements from `start` on.
  Value compute(Value start, int64_t count, Value tensor) {
    IRMapping values;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.payloadUsesValueFromOperand(input))
        values.map(op.getMatchingBlockArgument(input), read(*input, start, count));
    Value result = vectorizeBody(b, loc, *op.getBody(), values, count);
    SmallVector<Value> indices = outerIndices(*op.getDpsInitOperand(0), 2);
    indices.push_back(start);
    return writeVector(b, loc, result, tensor, indices);
  }

  SmallVector<Value> outerIndices(OpOperand &operand, unsigned numInner) {
    SmallVector<Value> indices;
    for (AffineExpr expression : mapOf(operand).getResults().drop_back(numInner)) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      indices.push_back(loop ? ivs[loop.getPosition()] : index(0));
    }
    return indices;
  }

  /// Element `source(lane)` of `vector` in each of `count` lanes.
  Value shuffled(Value vector, int64_t count, llvm::function_ref<int64_t(int64_t)> source) {
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < count; ++lane)
      mask.push_back(source(lane));
    return vector::ShuffleOp::create(b, loc, vector, vector, mask);
  }

  /// The elements of an operand for `count` elements of the result from `start` on. A scalar if
  /// they are all the same.
  Value read(OpOperand &operand, Value start, int64_t count) {
    Value tensor = operands[operand.getOperandNumber()];
    PairIndex of = pairIndex(operand);
    if (isFull(operand)) {
      SmallVector<Value> indices = outerIndices(operand, 2);
      indices.push_back(start);
      Value row = readVector(b, loc, tensor, indices, count);
      if (*of == std::array<int64_t, pair>{0, 1})
        return row;
      return shuffled(row, count,
                      [&](int64_t lane) { return lane - lane % pair + (*of)[lane % pair]; });
    }
    if (of) {
      DenseElementsAttr constant;
      auto type = VectorType::get({count}, getElementTypeOrSelf(tensor.getType()));
      if (matchPattern(tensor, m_Constant(&constant)) && constant.getType().getRank() == 1) {
        SmallVector<Attribute> numbers;
        for (int64_t lane = 0; lane < count; ++lane)
          numbers.push_back(constant.getValues<Attribute>()[(*of)[lane % pair]]);
        return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
      }
      SmallVector<Value> indices = outerIndices(operand, 1);
      indices.push_back(index(0));
      return shuffled(readVector(b, loc, tensor, indices, pair), count,
                      [&](int64_t lane) { return (*of)[lane % pair]; });
    }
    bool isPerPair = mapOf(operand).isFunctionOfDim(pairs);
    SmallVector<Value> indices = outerIndices(operand, isPerPair);
    if (!isPerPair)
      return tensor::ExtractOp::create(b, loc, tensor, indices);
    indices.push_back(b.createOrFold<arith::DivUIOp>(loc, start, index(pair)));
    return shuffled(readVector(b, loc, tensor, indices, count / pair), count,
                    [](int64_t lane) { return lane / pair; });
  }

  IRRewriter &b;
  linalg::GenericOp op;
  Location loc;
  TargetAttr target;
  SmallVector<int64_t> sizes;
  SmallVector<Value> ivs;         ///< the current index of each loop
  unsigned pairs = 0, within = 0; ///< loops
  int64_t lanes = 0;
  SmallVector<Value> operands; ///< those with pairs of their own as one row of elements
};

class PairShufflesPlan : public VectorizationPlan {
public:
  PairShufflesPlan(linalg::GenericOp op, TargetAttr target)
      : op(op), target(target), rewriter(op.getContext()), vectorizer(rewriter, op, target) {}

  bool matches() {
    if (!vectorizer.matches())
      return false;
    dimension = vectorizer.pairLoop();
    lanes = vectorizer.elementsOfVector();
    cost = cyclesInShuffledVectors(target.cpu(), lanes, double(vectorizer.shuffles()));
    return true;
  }

  void emit(IRRewriter &replacing) override { replacing.replaceOp(op, vectorizer.run()); }

private:
  linalg::GenericOp op;
  TargetAttr target;
  IRRewriter rewriter;
  PairVectorizer vectorizer;
};

VectorizationMatch matchPairs(linalg::GenericOp op, TargetAttr target) {
  auto plan = std::make_unique<PairShufflesPlan>(op, target);
  if (!plan->matches())
    return {};
  return {std::move(plan)};
}

} // namespace

const VectorizationStrategy &pairShuffles() {
  static constexpr VectorizationStrategy strategy{"pair-shuffles",
                                                  "pairs whose elements change places in a vector",
                                                  /*fusesReader=*/false, matchPairs};
  return strategy;
}

} // namespace kgen
