#include "transforms/vectors/InterleaveCopies.h"

#include "transforms/loops/VectorLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

namespace {

/// The loops of one copy. Dimensions are the operation's loops.
class Interleaver {
public:
  Interleaver(RewriterBase &rewriter, linalg::GenericOp op, TargetAttr target)
      : b(rewriter), op(op), loc(op.getLoc()), sizes(op.getStaticLoopRanges()), at(sizes.size()),
        in(op.getIndexingMapsArray().front()), out(op.getIndexingMapsArray().back()) {
    n = out.getDimPosition(out.getNumResults() - 2);
    v = out.getDimPosition(out.getNumResults() - 1);
    int64_t bits = getElementTypeOrSelf(op.getResult(0).getType()).getIntOrFloatBitWidth();
    width = std::max<int64_t>(1, target.getVectorBits() / (bits * sizes[v]));
  }

  Value run() {
    b.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d + 1 < type.getRank(); ++d)
      groups.push_back({d});
    groups.back().push_back(type.getRank() - 1);
    Value flat = tensor::CollapseShapeOp::create(b, loc, op.getDpsInits()[0], groups);
    flat = overOuter(0, flat);
    return tensor::ExpandShapeOp::create(b, loc, type, flat, groups);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  /// Loops in the order of the result's dimensions.
  Value overOuter(unsigned position, Value tensor) {
    if (position + 2 == out.getNumResults())
      return overColumns(tensor);
    unsigned dimension = out.getDimPosition(position);
    return carryingLoop(b, loc, 0, sizes[dimension], 1, tensor, [&](Value i, Value inner) {
      at[dimension] = i;
      return overOuter(position + 1, inner);
    });
  }

  Value overColumns(Value tensor) {
    return loopOverVectors(
        b, loc, sizes[n], width, tensor,
        [&](Value i, int64_t count, Value inner) { return columns(inner, i, count); });
  }

  /// `count` columns from `start` on.
  Value columns(Value tensor, Value start, int64_t count) {
    at[n] = start;
    SmallVector<Value> rows;
    for (int64_t i = 0; i < sizes[v]; ++i)
      rows.push_back(row(i, count));
    for (size_t half = rows.size() / 2; half > 0; half /= 2) {
      for (size_t i = 0; i < half; ++i)
        rows[i] = vector::InterleaveOp::create(b, loc, rows[i], rows[i + half]);
      rows.truncate(half);
    }
    SmallVector<Value> where;
    for (AffineExpr expression : out.getResults().drop_back(1))
      where.push_back(at[cast<AffineDimExpr>(expression).getPosition()]);
    where.back() = arith::MulIOp::create(b, loc, start, index(sizes[v]));
    return writeVector(b, loc, rows.front(), tensor, where);
  }

  /// `count` elements of the input at place `i` of v.
  Value row(int64_t i, int64_t count) {
    at[v] = index(i);
    SmallVector<Value> where;
    for (AffineExpr expression : in.getResults())
      where.push_back(at[cast<AffineDimExpr>(expression).getPosition()]);
    return readVector(b, loc, op.getDpsInputs()[0], where, count);
  }

  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  SmallVector<int64_t> sizes;
  SmallVector<Value> at; ///< the current index of each dimension
  AffineMap in, out;
  unsigned n, v;
  int64_t width; ///< columns that become one vector
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

/// Whether the result has two or four places of v behind each of n, along which the input lies.
bool interleaves(linalg::GenericOp op) {
  AffineMap in = op.getIndexingMapsArray().front(), out = op.getIndexingMapsArray().back();
  unsigned rank = op.getNumLoops();
  if (rank < 2 || !out.isPermutation() || !in.isProjectedPermutation() || in.getNumResults() == 0)
    return false;
  unsigned v = out.getDimPosition(rank - 1), n = out.getDimPosition(rank - 2);
  int64_t count = op.getStaticLoopRanges()[v];
  return in.getDimPosition(in.getNumResults() - 1) == n && (count == 2 || count == 4);
}

} // namespace

Value interleaveCopy(RewriterBase &rewriter, linalg::GenericOp op, TargetAttr target) {
  return isPlainCopy(op) && interleaves(op) ? Interleaver(rewriter, op, target).run() : Value();
}

} // namespace kgen
