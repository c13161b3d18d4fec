// Rotary embeddings of neighbours, whichever way the elements of pairs are taken apart and joined,
// become one operation on whole rows in which each element reads the other one of its pair.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/UnitDims.h"
#include "dialect/tpp/Scalars.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/Rotation.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the operation over the factors of the index space and, innermost, the elements of a pair.
class RotationBuilder {
public:
  RotationBuilder(OpBuilder &b, const ExpressionTree &space, const PairJoin &join,
                  const Rotation &rotation, Location loc)
      : b(b), space(space), join(join), r(rotation), loc(loc), numLoops(space.numFactors() + 1),
        element(cast<FloatType>(getElementTypeOrSelf(join.first.getType()))),
        compute(cast<FloatType>(computeTypeOf(element))) {}

  Value build() {
    AffineExpr position = b.getAffineDimExpr(numLoops - 1);
    for (int64_t element : {1, 0})
      addPairs(r.x, *pairSliceOf(r.x), b.getAffineConstantExpr(element));
    auto flags = RankedTensorType::get({2}, b.getI8Type());
    addOperand(
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(flags, ArrayRef<int8_t>{1, 0})),
        position);
    addFactor(r.other);
    addSign(r.isOtherNegative);
    if (r.hasOwn) {
      addPairs(r.x, *pairSliceOf(r.x), position);
      addFactor(r.own);
      addSign(r.isOwnNegative);
    }
    SmallVector<int64_t> shape;
    for (unsigned factor = 0; factor < space.numFactors(); ++factor)
      shape.push_back(sizeOf(factor));
    shape.push_back(2);
    Value init = emptyTensor(b, loc, shape, element);
    maps.push_back(b.getMultiDimIdentityMap(numLoops));
    SmallVector<utils::IteratorType> loops(numLoops, utils::IteratorType::parallel);
    Value result =
        linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps, loops,
                                  [&](OpBuilder &inner, Location at, ValueRange in) {
                                    linalg::YieldOp::create(inner, at, body(inner, at, in));
                                  })
            .getResult(0);
    return inShape(result, shape, join.shape);
  }

private:
  int64_t sizeOf(unsigned factor) const { return *space.sizes()[factor].number(); }
  /// The operands' elements follow each other as they were added.
  Value body(OpBuilder &inner, Location at, ValueRange in) {
    unsigned next = 0;
    auto take = [&] { return tpp::scalar::convert(inner, at, in[next++], compute); };
    auto other = [&]() -> Value {
      Value second = take(), first = take(), isFirst = in[next++];
      Value zero = arith::ConstantOp::create(inner, at, inner.getI8IntegerAttr(0));
      isFirst = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::ne, isFirst, zero);
      return arith::SelectOp::create(inner, at, isFirst, second, first);
    };
    auto term = [&](Value value, const RotationFactor &factor,
                    const bool(&isNegative)[2]) -> Value {
      Value by = factor.first && !factor.first->isConstant() ? take() : Value();
      if (factor.first && factor.first->isConstant())
        by =
            arith::ConstantOp::create(inner, at, inner.getFloatAttr(compute, factor.first->number));
      if (isNegative[0] != isNegative[1])
        value = arith::MulFOp::create(inner, at, value, take());
      else if (isNegative[0])
        value = arith::NegFOp::create(inner, at, value);
      return by ? arith::MulFOp::create(inner, at, value, by) : value;
    };
    Value sum = term(other(), r.other, r.isOtherNegative);
    if (r.hasOwn)
      sum = arith::AddFOp::create(inner, at, term(take(), r.own, r.isOwnNegative), sum);
    return tpp::scalar::convert(inner, at, sum, element);
  }

  void addOperand(Value value, ArrayRef<AffineExpr> indices) {
    inputs.push_back(value);
    maps.push_back(AffineMap::get(numLoops, 0, indices, b.getContext()));
  }

  /// -1 for the elements of pairs that are negative, if it is one of two.
  void addSign(const bool (&isNegative)[2]) {
    if (isNegative[0] == isNegative[1])
      return;
    SmallVector<Attribute> signs;
    for (bool is : isNegative)
      signs.push_back(b.getFloatAttr(compute, is ? -1.0 : 1.0));
    auto type = RankedTensorType::get({2}, compute);
    addOperand(arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, signs)),
               b.getAffineDimExpr(numLoops - 1));
  }

  void addFactor(const RotationFactor &factor) {
    if (!factor.first || factor.first->isConstant())
      return;
    std::optional<PairSlice> slice = pairSliceOf(factor.first);
    if (!isSameElement(factor.first, factor.second))
      addPairs(factor.first, *slice, b.getAffineDimExpr(numLoops - 1));
    else if (int64_t position = 0; slice && includePair(*slice, position))
      addPairs(factor.first, *slice, b.getAffineConstantExpr(position));
    else
      addTensor(factor.first);
  }

  void addSubscripts(const Expression *e, SmallVectorImpl<AffineExpr> &indices,
                     SmallVectorImpl<int64_t> &sizes) {
    for (ArrayRef<unsigned> factors : e->subscripts)
      for (unsigned factor : factors) {
        indices.push_back(b.getAffineDimExpr(factor));
        sizes.push_back(sizeOf(factor));
      }
  }

  void addTensor(const Expression *e) {
    SmallVector<AffineExpr> indices;
    SmallVector<int64_t> sizes;
    addSubscripts(e, indices, sizes);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(e->tensor.getType()).getShape();
    addOperand(inShape(e->tensor, shape, sizes), indices);
  }

  /// The elements of pairs, of which `first` has the first ones. `e` has the subscripts of either.
  void addPairs(const Expression *e, const PairSlice &first, AffineExpr position) {
    SmallVector<int64_t> shape = first.shape(), sizes;
    auto source = cast<RankedTensorType>(first.source.getType());
    Value value = first.source;
    if (source.getShape() != ArrayRef(shape)) {
      SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
      value = tensor::ExtractSliceOp::create(
          b, e->tensor.getLoc(), source.clone(shape), value, first.offsets(b),
          getAsIndexOpFoldResult(b.getContext(), shape), strides);
    }
    SmallVector<AffineExpr> indices;
    addSubscripts(e, indices, sizes);
    indices.push_back(position);
    sizes.push_back(2);
    addOperand(inShape(value, shape, sizes), indices);
  }

  /// Lets a slice be that of the first elements of the pairs in which its elements have this
  /// `position`. False if some of these pairs are not in its source.
  static bool includePair(PairSlice &slice, int64_t &position) {
    int64_t size = cast<RankedTensorType>(slice.source.getType()).getShape().back();
    bool isInside = slice.offset + slice.shape().back() <= size;
    position = slice.offset % 2 != 0 || !isInside;
    slice.offset -= position;
    return slice.offset >= 0;
  }

  /// `value` with the dimensions `to` instead of `from`: more or fewer in the same order.
  Value inShape(Value value, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    SmallVector<int64_t> before = withoutUnitDims(from), after = withoutUnitDims(to);
    value = dropUnitDims(b, loc, value);
    if (before != after) {
      auto type = cast<RankedTensorType>(value.getType()).clone(after);
      auto groups = *getReassociationIndicesForReshape(cast<ShapedType>(value.getType()), type);
      if (before.size() < after.size())
        value = tensor::ExpandShapeOp::create(b, loc, type, value, groups);
      else
        value = tensor::CollapseShapeOp::create(b, loc, type, value, groups);
    }
    return addUnitDims(b, loc, value, to);
  }

  OpBuilder &b;
  const ExpressionTree &space;
  const PairJoin &join;
  const Rotation &r;
  Location loc;
  unsigned numLoops;
  FloatType element, compute;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

Location rotationLocation(Operation *op, const PairJoin &join, const Rotation &rotation) {
  SmallVector<Location> locations;
  for (Value element : {join.first, join.second})
    locations.push_back(isa_and_nonnull<linalg::LinalgOp>(element.getDefiningOp())
                            ? IdiomBody(element, rotation.x->tensor).location()
                            : element.getLoc());
  locations.push_back(op->getLoc());
  return FusedLoc::get(op->getContext(), locations);
}

bool raiseRotation(Operation *op, const PairJoin &join, IdiomLog &log) {
  constexpr unsigned maxDepth = 8; // a few operations and reshapes
  ExpressionTree first(join.first, maxDepth), second(join.second, maxDepth);
  if (!first.root() || !second.root() || first.sizes() != second.sizes() ||
      !llvm::all_of(first.sizes(), [](const Dim &size) { return size.isNumber(); }))
    return false;
  bool readsPairs = false;
  std::optional<Rotation> rotation = rotationOf(first, second, readsPairs);
  if (!rotation) {
    if (readsPairs)
      log.refused(op->getLoc(), "elements of pairs are joined after they were computed apart, "
                                "but are no rotation");
    return false;
  }
  OpBuilder b(op);
  Location loc = rotationLocation(op, join, *rotation);
  Value rotated = RotationBuilder(b, first, join, *rotation, loc).build();
  if (join.slice) {
    SmallVector<OpFoldResult> strides(join.shape.size(), b.getIndexAttr(1));
    rotated =
        tensor::InsertSliceOp::create(b, loc, rotated, join.dest, join.slice->offsets(b),
                                      getAsIndexOpFoldResult(b.getContext(), join.shape), strides);
  }
  op->getResult(0).replaceAllUsesWith(rotated);
  log.applied(loc, "a rotation of neighbours in each row");
  return true;
}

} // namespace

void raisePairRotations(func::FuncOp func, IdiomLog &log) {
  SmallVector<Operation *> joins;
  func.walk([&](Operation *op) {
    if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
      joins.push_back(op);
  });
  bool hasRaised = false;
  for (Operation *op : joins)
    if (std::optional<PairJoin> join = pairJoin(op))
      hasRaised |= raiseRotation(op, *join, log);
  if (!hasRaised)
    return;
  IRRewriter rewriter(func.getContext());
  (void)runRegionDCE(rewriter, func->getRegions());
}

} // namespace kgen
