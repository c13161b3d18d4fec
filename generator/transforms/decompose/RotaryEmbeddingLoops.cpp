// Rotary embeddings: the halves of rows one after the other, or neighbours in registers.
#include "analysis/Pairs.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/UnitDims.h"
#include "transforms/decompose/NamedOpLoops.h"
#include "transforms/decompose/PairLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

using Scalars = ValueRange;

ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

/// Builds the loops of one operation, in which first and second elements of pairs are apart.
class SlicedRotation {
public:
  SlicedRotation(OpBuilder &b, RotaryEmbeddingOp op)
      : b(b), op(op), loc(op.getLoc()), build(b, loc), pairs(op.numPairs()),
        stride(op.getInterleaved() ? 2 : 1), second(op.getInterleaved() ? 1 : pairs),
        result(emptyTensor(b, loc, sizesOf(b, loc, op.getInput()),
                           op.getResultType().getElementType())) {}

  Value run() {
    if (pairs > 0) {
      Value x = op.getInput(), left = slice(x, 0, pairs, stride),
            right = slice(x, second, pairs, stride);
      insert(rotated({left, angles(op.getCosines(), 0), right, angles(op.getSines(), 0)},
                     /*isSecond=*/false),
             0, stride);
      insert(rotated({left, angles(op.getSines(), second), right, angles(op.getCosines(), second)},
                     /*isSecond=*/true),
             second, stride);
    }
    int64_t size = op.getInputType().getShape().back();
    if (2 * pairs < size)
      insert(moved(slice(op.getInput(), 2 * pairs, size - 2 * pairs, 1)), 2 * pairs, 1);
    return result;
  }

private:
  SmallVector<OpFoldResult> numbers(size_t rank, int64_t outer, int64_t last) {
    SmallVector<OpFoldResult> list(rank, b.getIndexAttr(outer));
    list.back() = b.getIndexAttr(last);
    return list;
  }

  /// `count` elements of each row, from `first` on.
  Value slice(Value rows, int64_t first, int64_t count, int64_t step) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, rows);
    sizes.back() = b.getIndexAttr(count);
    return tensor::ExtractSliceOp::create(b, loc, rows, numbers(sizes.size(), 0, first), sizes,
                                          numbers(sizes.size(), 1, step));
  }

  void insert(Value part, int64_t first, int64_t step) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, part);
    result = tensor::InsertSliceOp::create(b, loc, part, result, numbers(sizes.size(), 0, first),
                                           sizes, numbers(sizes.size(), 1, step));
  }

  /// Cosines or sines of the elements of pairs that come `first`.
  Value angles(Value tensor, int64_t first) {
    return op.getEachElement() ? slice(tensor, first, pairs, stride) : tensor;
  }

  AffineMap angleMap() {
    unsigned rank = op.getInputType().getRank();
    SmallVector<AffineExpr> at;
    for (int64_t d : op.getDimensions())
      at.push_back(b.getAffineDimExpr(d));
    at.push_back(b.getAffineDimExpr(rank - 1));
    return AffineMap::get(rank, 0, at, b.getContext());
  }

  /// v[0] v[1] - v[2] v[3], or their sum for the second elements of the pairs.
  Value rotated(ValueRange operands, bool isSecond) {
    AffineMap all = b.getMultiDimIdentityMap(op.getInputType().getRank()), some = angleMap();
    Value out =
        emptyTensor(b, loc, sizesOf(b, loc, operands[0]), op.getResultType().getElementType());
    return build.generic(out, operands, {all, some, all, some, all},
                         [&](OpBuilder &b, Location loc, Scalars v) -> Value {
                           Value left = arith::MulFOp::create(b, loc, v[0], v[1]);
                           Value right = arith::MulFOp::create(b, loc, v[2], v[3]);
                           if (isSecond)
                             return arith::AddFOp::create(b, loc, left, right);
                           return arith::SubFOp::create(b, loc, left, right);
                         });
  }

  /// Elements in the type of the result.
  Value moved(Value part) {
    Type element = op.getResultType().getElementType();
    if (getElementTypeOrSelf(part.getType()) == element)
      return part;
    AffineMap all = b.getMultiDimIdentityMap(op.getInputType().getRank());
    return build.generic(emptyTensor(b, loc, sizesOf(b, loc, part), element), part, {all, all},
                         [](OpBuilder &, Location, Scalars v) { return v[0]; });
  }

  OpBuilder &b;
  RotaryEmbeddingOp op;
  Location loc;
  GenericBuilder build;
  int64_t pairs, stride, second;
  Value result;
};

/// Builds one operation over the rows' pairs and, innermost, the elements of a pair, each of which
/// reads the other one: kgen-vectorize exchanges them in registers.
class PairRotation {
public:
  PairRotation(OpBuilder &b, RotaryEmbeddingOp op)
      : b(b), op(op), loc(op.getLoc()), element(op.getResultType().getElementType()),
        pairs(op.numPairs()) {
    for (auto [d, size] : llvm::enumerate(op.getInputType().getShape().drop_back())) {
      loopOf.push_back(sizes.size());
      if (size != 1)
        sizes.push_back(size);
    }
    if (pairs != 1)
      sizes.push_back(pairs);
    sizes.push_back(2);
  }

  Value run() {
    PairTerm sine{angles(op.getSines()), std::nullopt, {true, false}},
        cosine{angles(op.getCosines()), std::nullopt, {}};
    Value rotated = buildPairLoops(b, loc, sizes, element, rowsOfPairs(), sine, cosine);
    return inRows(inShape(b, loc, rotated, rotatedShape()));
  }

private:
  /// Cosines or sines; if they are elements of pairs themselves, these are read where they lie.
  PairOperand angles(Value angles) {
    SmallVector<AffineExpr> at;
    SmallVector<int64_t> shape;
    for (int64_t d : op.getDimensions())
      if (int64_t size = op.getInputType().getDimSize(d); size != 1) {
        at.push_back(b.getAffineDimExpr(loopOf[d]));
        shape.push_back(size);
      }
    if (pairs != 1) {
      at.push_back(b.getAffineDimExpr(sizes.size() - 2));
      shape.push_back(pairs);
    }
    if (op.getEachElement()) {
      at.push_back(b.getAffineDimExpr(sizes.size() - 1));
      shape.push_back(2);
    } else if (int64_t position = 0; Value whole = pairsAround(angles, position)) {
      angles = whole;
      at.push_back(b.getAffineConstantExpr(position));
      shape.push_back(2);
    }
    return {inShape(b, loc, angles, shape), at};
  }

  /// The tensor of pairs of which `angles` has the elements at a `position`; null if it has not.
  Value pairsAround(Value angles, int64_t &position) {
    SmallVector<int64_t> shape = withoutUnitDims(shapeOf(angles));
    auto sourceOfReshape = [](Value value) {
      Operation *op = value.getDefiningOp();
      return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ? op->getOperand(0)
                                                                                 : Value();
    };
    for (Value source; (source = sourceOfReshape(angles)); angles = source)
      if (withoutUnitDims(shapeOf(source)) != shape)
        return {};
    std::optional<PairSlice> slice = PairSlice::match(angles);
    auto first = slice && slice->source ? slice->firstOfPairs(position) : std::nullopt;
    return first ? first->extract(b, loc) : Value();
  }

  /// The rotated elements of the input, with a dimension for the elements of a pair.
  PairOperand rowsOfPairs() {
    Value x = op.getInput();
    SmallVector<int64_t> shape = rotatedShape();
    if (shapeOf(x) != ArrayRef(shape))
      x = tensor::ExtractSliceOp::create(b, loc, op.getInputType().clone(shape), x, zeros(),
                                         getAsIndexOpFoldResult(b.getContext(), shape), ones());
    SmallVector<AffineExpr> at;
    for (unsigned loop = 0; loop + 1 < sizes.size(); ++loop)
      at.push_back(b.getAffineDimExpr(loop));
    return {inShape(b, loc, x, sizes), at};
  }

  /// The result, with the elements that are not rotated.
  Value inRows(Value rotated) {
    int64_t size = op.getInputType().getShape().back(), first = 2 * pairs;
    if (first == size)
      return rotated;
    Value result = emptyTensor(b, loc, op.getResultType().getShape(), element);
    result = inserted(rotated, result, 0);
    SmallVector<int64_t> shape(op.getInputType().getShape());
    shape.back() = size - first;
    SmallVector<OpFoldResult> offsets = zeros();
    offsets.back() = b.getIndexAttr(first);
    Value others = tensor::ExtractSliceOp::create(
        b, loc, op.getInputType().clone(shape), op.getInput(), offsets,
        getAsIndexOpFoldResult(b.getContext(), shape), ones());
    return inserted(converted(others), result, first);
  }

  Value inserted(Value part, Value whole, int64_t first) {
    SmallVector<OpFoldResult> offsets = zeros();
    offsets.back() = b.getIndexAttr(first);
    return tensor::InsertSliceOp::create(b, loc, part, whole, offsets,
                                         getAsIndexOpFoldResult(b.getContext(), shapeOf(part)),
                                         ones());
  }

  Value converted(Value part) {
    if (getElementTypeOrSelf(part.getType()) == element)
      return part;
    AffineMap all = b.getMultiDimIdentityMap(shapeOf(part).size());
    return GenericBuilder(b, loc).generic(emptyTensor(b, loc, shapeOf(part), element), part,
                                          {all, all},
                                          [](OpBuilder &, Location, Scalars v) { return v[0]; });
  }

  SmallVector<int64_t> rotatedShape() {
    SmallVector<int64_t> shape(op.getInputType().getShape());
    shape.back() = 2 * pairs;
    return shape;
  }
  SmallVector<OpFoldResult> zeros() {
    return SmallVector<OpFoldResult>(op.getInputType().getRank(), b.getIndexAttr(0));
  }
  SmallVector<OpFoldResult> ones() {
    return SmallVector<OpFoldResult>(op.getInputType().getRank(), b.getIndexAttr(1));
  }

  OpBuilder &b;
  RotaryEmbeddingOp op;
  Location loc;
  Type element;
  int64_t pairs;
  SmallVector<int64_t> sizes;   ///< of the loops
  SmallVector<unsigned> loopOf; ///< of each dimension but the last
};

} // namespace

DecomposedOp buildRotaryEmbedding(OpBuilder &b, RotaryEmbeddingOp op) {
  bool hasSizes = op.getInputType().hasStaticShape() && op.getInputType().getNumElements() > 0;
  if (op.getInterleaved() && hasSizes && op.numPairs() > 0)
    return {{PairRotation(b, op).run()}, "neighbours that change places in registers"};
  return {{SlicedRotation(b, op).run()},
          op.getInterleaved() ? "slices of neighbours" : "halves of rows"};
}

} // namespace kgen
