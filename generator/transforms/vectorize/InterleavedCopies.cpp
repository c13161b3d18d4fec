// Copies from [..., v, n] to [..., n, v] along n, or back, with other dimensions in any order;
// vectors are interleaved in registers. v is 2 or 4 (packs of B for dot products), or so small that
// blocks need not be transposed; v need not be in the input (upsampled images).
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/VectorizationStrategy.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// Collapses the last two dimensions of a tensor.
Value collapseRows(OpBuilder &b, Location loc, Value tensor,
                   SmallVectorImpl<ReassociationIndices> &groups) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t d = 0; d + 1 < rank; ++d)
    groups.push_back({d});
  groups.back().push_back(rank - 1);
  return tensor::CollapseShapeOp::create(b, loc, tensor, groups);
}

/// Builds the loops of one copy. Dimensions are the operation's loops.
class Interleaver {
public:
  /// `gathers`: the input, not the result, has v as its innermost dimension after n.
  Interleaver(RewriterBase &rewriter, linalg::GenericOp op, TargetAttr target, bool gathers)
      : b(rewriter), op(op), loc(op.getLoc()), sizes(op.getStaticLoopRanges()), ivs(sizes.size()),
        in(op.getIndexingMapsArray().front()), out(op.getIndexingMapsArray().back()),
        gathers(gathers) {
    AffineMap pairs = gathers ? in : out;
    n = pairs.getDimPosition(pairs.getNumResults() - 2);
    v = pairs.getDimPosition(pairs.getNumResults() - 1);
    int64_t bits = getElementTypeOrSelf(op.getResult(0).getType()).getIntOrFloatBitWidth();
    width = std::max<int64_t>(1, target.getVectorBits() /
                                     (interleavesPairs() ? bits * sizes[v] : bits));
  }

  /// True if that many rows are interleaved pair by pair.
  static bool interleavesPairs(bool gathers, int64_t rows) {
    return !gathers && (rows == 2 || rows == 4);
  }

  Value run() {
    b.setInsertionPoint(op);
    SmallVector<ReassociationIndices> groups;
    Value result = op.getDpsInits()[0];
    source = op.getDpsInputs()[0];
    if (gathers) {
      source = collapseRows(b, loc, source, groups);
      return buildLoops(0, result);
    }
    Value flat = buildLoops(0, collapseRows(b, loc, result, groups));
    return tensor::ExpandShapeOp::create(b, loc, result.getType(), flat, groups);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  /// True if 2 or 4 rows are interleaved pair by pair.
  bool interleavesPairs() const { return interleavesPairs(gathers, sizes[v]); }

  /// Loops in the order of the result's dimensions.
  Value buildLoops(unsigned position, Value tensor) {
    if (position == out.getNumResults())
      return buildVectorLoop(
          b, loc, sizes[n], width, tensor,
          [&](Value i, int64_t count, Value inner) { return copyColumns(inner, i, count); });
    unsigned dimension = out.getDimPosition(position);
    if (dimension == n || dimension == v)
      return buildLoops(position + 1, tensor);
    return buildFor(b, loc, 0, sizes[dimension], 1, tensor, [&](Value i, Value inner) {
      ivs[dimension] = i;
      return buildLoops(position + 1, inner);
    });
  }

  /// Returns the indices of element `number` after the columns from `start` on, in the collapsed
  /// tensor of `map`.
  SmallVector<Value> flatIndices(AffineMap map, Value start, int64_t number) {
    SmallVector<Value> indices;
    for (AffineExpr expression : map.getResults().drop_back(1))
      indices.push_back(ivs[cast<AffineDimExpr>(expression).getPosition()]);
    indices.back() = b.createOrFold<arith::AddIOp>(
        loc, arith::MulIOp::create(b, loc, start, index(sizes[v])), index(number));
    return indices;
  }

  SmallVector<Value> indicesOf(AffineMap map, Value start, int64_t row) {
    ivs[n] = start;
    ivs[v] = index(row);
    SmallVector<Value> indices;
    for (AffineExpr expression : map.getResults())
      indices.push_back(ivs[cast<AffineDimExpr>(expression).getPosition()]);
    return indices;
  }

  /// Copies `count` columns from `start` on.
  Value copyColumns(Value tensor, Value start, int64_t count) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < sizes[v]; ++i)
      rows.push_back(
          readVector(b, loc, source,
                     gathers ? flatIndices(in, start, i * count) : indicesOf(in, start, i), count));
    if (gathers) {
      for (int64_t i = 0; i < sizes[v]; ++i)
        tensor = writeVector(b, loc, deinterleave(b, loc, rows, sizes[v], i), tensor,
                             indicesOf(out, start, i));
      return tensor;
    }
    if (interleavesPairs())
      return writeVector(b, loc, interleavePairs(rows), tensor, flatIndices(out, start, 0));
    for (int64_t i = 0; i < sizes[v]; ++i)
      tensor = writeVector(b, loc, interleave(rows, i), tensor, flatIndices(out, start, i * count));
    return tensor;
  }

  Value interleavePairs(SmallVector<Value> &rows) {
    for (size_t half = rows.size() / 2; half > 0; half /= 2) {
      for (size_t i = 0; i < half; ++i)
        rows[i] = vector::InterleaveOp::create(b, loc, rows[i], rows[i + half]);
      rows.truncate(half);
    }
    return rows.front();
  }

  /// Returns vector `number` of the interleaved rows.
  Value interleave(ArrayRef<Value> rows, int64_t number) {
    return shuffleElements(b, loc, rows, [&](int64_t lane, int64_t lanes) {
      auto count = static_cast<int64_t>(rows.size());
      int64_t element = number * lanes + lane;
      return std::pair(element % count, element / count);
    });
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  SmallVector<int64_t> sizes;
  SmallVector<Value> ivs; ///< the current index of each dimension
  AffineMap in, out;
  bool gathers;
  Value source;
  unsigned n, v;
  int64_t width; ///< elements of a vector
};

bool isPlainCopy(linalg::GenericOp op) {
  auto isTensor = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() && type.getElementType().isIntOrFloat() &&
           type.getElementTypeBitWidth() % 8 == 0;
  };
  return op.hasPureTensorSemantics() && op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op->getOperands(), isTensor) &&
         op.getBody()->getTerminator()->getOperand(0) == op.getBody()->getArgument(0);
}

/// The dimension v of a copy, of rows that are interleaved, in its `pairs` operand; nothing if the
/// innermost dimension after v is not contiguous in `other`.
std::optional<unsigned> interleavedDim(linalg::GenericOp op, AffineMap pairs, AffineMap other) {
  unsigned rank = op.getNumLoops();
  if (rank < 2 || !pairs.isPermutation() || !other.isProjectedPermutation() ||
      other.getNumResults() == 0)
    return std::nullopt;
  unsigned n = pairs.getDimPosition(rank - 2);
  if (other.getDimPosition(other.getNumResults() - 1) != n)
    return std::nullopt;
  return pairs.getDimPosition(rank - 1);
}

class InterleavedCopyPlan : public VectorizationPlan {
public:
  InterleavedCopyPlan(linalg::GenericOp op, TargetAttr target, bool gathers, int64_t rows)
      : op(op), target(target), gathers(gathers) {
    AffineMap pairs = op.getIndexingMapsArray()[gathers ? 0 : 1];
    dimension = pairs.getDimPosition(pairs.getNumResults() - 2);
    int64_t bits = getElementTypeOrSelf(op.getResult(0).getType()).getIntOrFloatBitWidth();
    lanes = std::max<int64_t>(1, target.getVectorBits() / bits);
    cost = cyclesInShuffledVectors(target.cpu(), lanes,
                                   Interleaver::interleavesPairs(gathers, rows)
                                       ? pairwiseShuffles(rows, lanes)
                                       : interleaveShuffles(target.cpu(), rows));
  }

  void emit(IRRewriter &rewriter) override {
    rewriter.replaceOp(op, Interleaver(rewriter, op, target, gathers).run());
  }

private:
  linalg::GenericOp op;
  TargetAttr target;
  bool gathers;
};

VectorizationMatch matchInterleavedCopy(linalg::GenericOp op, TargetAttr target) {
  if (!isPlainCopy(op))
    return {};
  AffineMap in = op.getIndexingMapsArray().front(), out = op.getIndexingMapsArray().back();
  int64_t bits = getElementTypeOrSelf(op.getResult(0).getType()).getIntOrFloatBitWidth();
  StringRef why;
  for (bool gathers : {false, true}) {
    AffineMap other = gathers ? out : in;
    std::optional<unsigned> v = interleavedDim(op, gathers ? in : out, other);
    if (!v)
      continue;
    int64_t rows = op.getStaticLoopRanges()[*v];
    bool isPairwise = Interleaver::interleavesPairs(gathers, rows);
    if (rows < 2 || (!isPairwise && !other.isPermutation()))
      why = "a row alone is repeated";
    else if (!isPairwise && bits < 32)
      why = "shuffles of elements of two registers have at least 32 bits";
    else if (!isPairwise &&
             interleaveShuffles(target.cpu(), rows) > target.tradeoffs().transposeShuffles)
      why = "for so many rows, blocks are transposed with fewer shuffles";
    else
      return {std::make_unique<InterleavedCopyPlan>(op, target, gathers, rows)};
  }
  return {nullptr, why};
}

} // namespace

const VectorizationStrategy &interleavedCopies() {
  static constexpr VectorizationStrategy strategy{"interleaved-copies",
                                                  "a copy that interleaves vectors",
                                                  /*fusesReader=*/false, matchInterleavedCopy};
  return strategy;
}

} // namespace kgen
