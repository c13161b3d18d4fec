// Rotary embeddings of neighbours, whichever way the elements of pairs are taken apart and joined,
// become one operation on whole rows in which each element reads the other one of its pair.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/UnitDims.h"
#include "dialect/tpp/Scalars.h"
#include "transforms/Passes.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/Pairs.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RAISEINTERLEAVEDROTATIONSPASS
#include "transforms/Passes.h.inc"

namespace {

/// A product of up to two elements, or its negative.
struct Term {
  bool isNegative = false;
  SmallVector<const Expression *, 2> factors;
};

const Expression *withoutSign(const Expression *e, bool &isNegative) {
  while (operationOf<arith::NegFOp>(e)) {
    isNegative = !isNegative;
    e = e->operands[0];
  }
  return e;
}

/// The terms of a sum or difference of two, or of one term.
SmallVector<Term> rotationTerms(const Expression *e) {
  bool isNegative = false;
  e = withoutSign(e, isNegative);
  SmallVector<const Expression *> summands{e};
  bool isDifference = operationOf<arith::SubFOp>(e);
  if (isDifference || operationOf<arith::AddFOp>(e))
    summands = {e->operands[0], e->operands[1]};
  SmallVector<Term> terms;
  for (auto [number, summand] : llvm::enumerate(summands)) {
    Term term{isNegative != (isDifference && number == 1), {}};
    summand = withoutSign(summand, term.isNegative);
    if (operationOf<arith::MulFOp>(summand))
      for (const Expression *factor : summand->operands)
        term.factors.push_back(withoutSign(factor, term.isNegative));
    else
      term.factors.push_back(summand);
    terms.push_back(term);
  }
  return terms;
}

std::optional<PairSlice> pairSliceOf(const Expression *e) {
  auto slice =
      e && e->tensor ? e->tensor.getDefiningOp<tensor::ExtractSliceOp>() : tensor::ExtractSliceOp();
  return slice && e->kind == Expression::Kind::element ? PairSlice::of(slice) : std::nullopt;
}

/// True if two expressions are the first and the second elements of pairs of one tensor.
bool arePairs(const Expression *first, const Expression *second) {
  std::optional<PairSlice> a = pairSliceOf(first), b = pairSliceOf(second);
  return a && b && a->slice->getOperand(0) == b->slice->getOperand(0) && a->isFirstBeside(*b) &&
         first->tensor.getType() == second->tensor.getType() &&
         first->subscripts == second->subscripts;
}

/// True for equal elements, which may have been sliced twice.
bool isSame(const Expression *a, const Expression *b) {
  if (!a || !b || a->isConstant() || b->isConstant())
    return a == b || (a && b && a->isConstant() && b->isConstant() && a->number == b->number);
  if (!a->tensor || !b->tensor || a->subscripts != b->subscripts)
    return false;
  Operation *x = a->tensor.getDefiningOp(), *y = b->tensor.getDefiningOp();
  return a->tensor == b->tensor ||
         (isa_and_nonnull<tensor::ExtractSliceOp>(x) && y &&
          OperationEquivalence::isEquivalentTo(x, y, OperationEquivalence::IgnoreLocations));
}

/// What the elements of a pair are multiplied by: the same for both, or an element of a pair each.
struct Factor {
  const Expression *first = nullptr, *second = nullptr; ///< null: nothing

  bool isKnown() const { return isSame(first, second) || (first && arePairs(first, second)); }
};

/// (x[0], x[1]) becomes (+- x[0] own[0] +- x[1] other[0], +- x[1] own[1] +- x[0] other[1]). Either
/// term may be missing.
struct Rotation {
  const Expression *x = nullptr; ///< first elements
  Factor own, other;
  bool hasOwn = false;
  bool isOwnNegative[2] = {}, isOtherNegative[2] = {};
};

/// Matches the two elements of pairs.
class RotationMatcher {
public:
  RotationMatcher(const ExpressionOf &first, const ExpressionOf &second)
      : terms{rotationTerms(first.root()), rotationTerms(second.root())},
        wholeCount(first.count(llvm::to_vector(llvm::seq<unsigned>(0, first.numFactors())))),
        space(first) {}

  /// Nothing if the elements are no rotation.
  std::optional<Rotation> match() {
    if (terms[0].size() != terms[1].size())
      return std::nullopt;
    std::optional<Rotation> found;
    for (const Term &term : terms[0])
      for (const Expression *x : term.factors)
        for (const Term &partner : terms[1])
          for (const Expression *y : partner.factors)
            if (arePairs(x, y) && (!found || isFull(x)))
              if (auto rotation = of(x, y))
                found = rotation;
    return found;
  }

  /// True if both elements are computed from the same pairs, whether as a rotation or not.
  bool readsPairs() const {
    auto reads = [&](const Expression *x) {
      return llvm::any_of(terms[1], [&](const Term &term) {
        return llvm::any_of(term.factors,
                            [&](const Expression *y) { return arePairs(x, y) || arePairs(y, x); });
      });
    };
    return llvm::any_of(terms[0],
                        [&](const Term &term) { return llvm::any_of(term.factors, reads); });
  }

private:
  bool isFull(const Expression *x) const {
    SmallVector<unsigned> all;
    for (ArrayRef<unsigned> factors : x->subscripts)
      all.append(factors.begin(), factors.end());
    return space.count(all) == wholeCount;
  }

  /// The number of the term of element `row` that `x` is a factor of; -1 if it is in none.
  int64_t termWith(unsigned row, const Expression *x, const Expression *&rest) const {
    for (auto [number, term] : llvm::enumerate(terms[row]))
      for (auto [position, factor] : llvm::enumerate(term.factors))
        if (isSame(factor, x)) {
          rest = term.factors.size() == 2 ? term.factors[1 - position] : nullptr;
          return static_cast<int64_t>(number);
        }
    return -1;
  }

  std::optional<Rotation> of(const Expression *x, const Expression *y) const {
    Rotation r;
    r.x = x;
    int64_t other[2] = {termWith(0, y, r.other.first), termWith(1, x, r.other.second)};
    if (other[0] < 0 || other[1] < 0 || !r.other.isKnown())
      return std::nullopt;
    r.hasOwn = terms[0].size() == 2;
    if (r.hasOwn) {
      int64_t own[2] = {termWith(0, x, r.own.first), termWith(1, y, r.own.second)};
      if (own[0] < 0 || own[1] < 0 || own[0] == other[0] || own[1] == other[1] || !r.own.isKnown())
        return std::nullopt;
      for (unsigned row : {0, 1})
        r.isOwnNegative[row] = terms[row][own[row]].isNegative;
    }
    for (unsigned row : {0, 1})
      r.isOtherNegative[row] = terms[row][other[row]].isNegative;
    return r;
  }

  SmallVector<Term> terms[2];
  int64_t wholeCount;
  const ExpressionOf &space;
};

/// Builds the operation over the factors of the index space and, innermost, the elements of a pair.
class RotationBuilder {
public:
  RotationBuilder(OpBuilder &b, const ExpressionOf &space, const PairJoin &join,
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
    SmallVector<int64_t> shape(space.sizes().take_front(space.numFactors()));
    shape.push_back(2);
    Value init = tensor::EmptyOp::create(b, loc, shape, element);
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
    auto term = [&](Value value, const Factor &factor, const bool(&isNegative)[2]) -> Value {
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

  void addFactor(const Factor &factor) {
    if (!factor.first || factor.first->isConstant())
      return;
    std::optional<PairSlice> slice = pairSliceOf(factor.first);
    if (!isSame(factor.first, factor.second))
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
        sizes.push_back(space.sizes()[factor]);
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
  void addPairs(const Expression *e, PairSlice first, AffineExpr position) {
    auto slice = cast<tensor::ExtractSliceOp>(first.slice.getOperation());
    SmallVector<int64_t> shape = first.shape(), sizes;
    Value value = slice.getSource();
    if (slice.getSourceType().getShape() != ArrayRef(shape)) {
      SmallVector<OpFoldResult> strides(shape.size(), b.getIndexAttr(1));
      value = tensor::ExtractSliceOp::create(
          b, slice.getLoc(), slice.getSourceType().clone(shape), value, first.offsets(b),
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
    auto extract = cast<tensor::ExtractSliceOp>(slice.slice.getOperation());
    bool isInside =
        slice.offset + slice.shape().back() <= extract.getSourceType().getShape().back();
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
  const ExpressionOf &space;
  const PairJoin &join;
  const Rotation &r;
  Location loc;
  unsigned numLoops;
  FloatType element, compute;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

struct RaiseInterleavedRotationsPass
    : impl::RaiseInterleavedRotationsPassBase<RaiseInterleavedRotationsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> joins;
    getOperation().walk([&](Operation *op) {
      if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
        joins.push_back(op);
    });
    DecisionLog log(getOperation(), getArgument());
    bool hasRaised = false;
    for (Operation *op : joins)
      if (std::optional<PairJoin> join = pairJoin(op))
        hasRaised |= raise(op, *join, log);
    if (!hasRaised)
      return;
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  static Location locationOf(Operation *op, const PairJoin &join, const Rotation &rotation) {
    SmallVector<Location> locations;
    for (Value element : {join.first, join.second})
      locations.push_back(isa_and_nonnull<linalg::LinalgOp>(element.getDefiningOp())
                              ? IdiomBody(element, rotation.x->tensor).location()
                              : element.getLoc());
    locations.push_back(op->getLoc());
    return FusedLoc::get(op->getContext(), locations);
  }

  bool raise(Operation *op, const PairJoin &join, DecisionLog &log) {
    constexpr unsigned maxDepth = 8; // a few operations and reshapes
    ExpressionOf first(join.first, maxDepth), second(join.second, maxDepth);
    if (!first.root() || !second.root() || first.sizes() != second.sizes())
      return false;
    RotationMatcher matcher(first, second);
    std::optional<Rotation> rotation = matcher.match();
    if (!rotation) {
      if (matcher.readsPairs()) {
        ++numRefused;
        log.add("refused", op->getLoc(),
                log.details().set("why", "elements of pairs are joined after they were computed "
                                         "apart, but are no rotation"));
      }
      return false;
    }
    OpBuilder b(op);
    Location loc = locationOf(op, join, *rotation);
    Value rotated = RotationBuilder(b, first, join, *rotation, loc).build();
    if (join.slice) {
      SmallVector<OpFoldResult> strides(join.shape.size(), b.getIndexAttr(1));
      rotated = tensor::InsertSliceOp::create(b, loc, rotated, join.dest, join.slice->offsets(b),
                                              getAsIndexOpFoldResult(b.getContext(), join.shape),
                                              strides);
    }
    op->getResult(0).replaceAllUsesWith(rotated);
    ++numRaised;
    log.add("applied", loc, log.details().set("what", "a rotation of neighbours in each row"));
    return true;
  }
};

} // namespace
} // namespace kgen
