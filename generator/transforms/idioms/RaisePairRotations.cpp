// Rotary embeddings of neighbours, whichever way the elements of pairs are taken apart and joined,
// become one operation on whole rows in which each element reads the other one of its pair.
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/UnitDims.h"
#include "transforms/decompose/PairLoops.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/NamedRotation.h"
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
      : b(b), space(space), join(join), r(rotation), loc(loc),
        position(b.getAffineDimExpr(space.numFactors())) {}

  Value build() {
    SmallVector<int64_t> shape;
    for (unsigned factor = 0; factor < space.numFactors(); ++factor)
      shape.push_back(sizeOf(factor));
    shape.push_back(2);
    PairOperand x = pairs(r.x, *pairSliceOf(r.x));
    PairTerm other = term(r.other, r.isOtherNegative);
    std::optional<PairTerm> own;
    if (r.hasOwn)
      own = term(r.own, r.isOwnNegative);
    Type element = getElementTypeOrSelf(join.first.getType());
    return inShape(b, loc, buildPairLoops(b, loc, shape, element, x, other, own), join.shape);
  }

private:
  int64_t sizeOf(unsigned factor) const { return *space.sizes()[factor].number(); }

  PairTerm term(const RotationFactor &factor, const bool (&isNegative)[2]) {
    PairTerm found;
    std::copy(std::begin(isNegative), std::end(isNegative), found.isNegative);
    if (factor.first && factor.first->isConstant())
      found.number = factor.first->number;
    else if (factor.first)
      found.factor = operand(factor);
    return found;
  }

  PairOperand operand(const RotationFactor &factor) {
    std::optional<PairSlice> slice = pairSliceOf(factor.first);
    PairOperand found;
    if (!isSameElement(factor.first, factor.second)) {
      found = pairs(factor.first, *slice);
      found.at.push_back(position);
      return found;
    }
    int64_t number = 0;
    auto first = slice ? slice->firstOfPairs(number) : std::nullopt;
    if (!first)
      return tensor(factor.first);
    found = pairs(factor.first, *first);
    found.at.push_back(b.getAffineConstantExpr(number));
    return found;
  }

  SmallVector<AffineExpr> indices(const Expression *e, SmallVectorImpl<int64_t> &sizes) {
    SmallVector<AffineExpr> at;
    for (ArrayRef<unsigned> factors : e->subscripts)
      for (unsigned factor : factors) {
        at.push_back(b.getAffineDimExpr(factor));
        sizes.push_back(sizeOf(factor));
      }
    return at;
  }

  PairOperand tensor(const Expression *e) {
    SmallVector<int64_t> sizes;
    SmallVector<AffineExpr> at = indices(e, sizes);
    return {inShape(b, loc, e->tensor, sizes), at};
  }

  /// The elements of pairs, of which `first` has the first ones. `e` has the subscripts of either.
  PairOperand pairs(const Expression *e, const PairSlice &first) {
    SmallVector<int64_t> sizes;
    Value value = first.extract(b, e->tensor.getLoc());
    SmallVector<AffineExpr> at = indices(e, sizes);
    sizes.push_back(2);
    return {inShape(b, loc, value, sizes), at};
  }

  OpBuilder &b;
  const ExpressionTree &space;
  const PairJoin &join;
  const Rotation &r;
  Location loc;
  AffineExpr position; ///< of an element in its pair
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

/// The sum that turned pairs lead to by a reshape and a product, which nothing else reads; null if
/// they do not.
linalg::GenericOp sumOfTurned(Value turned) {
  constexpr int longest = 5; // a reshape, a product, roundings and the sum
  for (int length = 0; length < longest && turned.hasOneUse(); ++length) {
    Operation *user = *turned.user_begin();
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (!generic && !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return {};
    bool isSum = generic && llvm::any_of(*generic.getBody(), llvm::IsaPred<arith::AddFOp>);
    if (isSum)
      return generic;
    turned = user->getResult(0);
  }
  return {};
}

/// False if what is joined is no rotation.
bool raiseRotation(Operation *op, const PairJoin &join, IdiomLog &log) {
  constexpr unsigned maxDepth = 8; // a few operations and reshapes
  ExpressionTree first(join.first, maxDepth), second(join.second, maxDepth);
  if (!first.root() || !second.root() || first.sizes() != second.sizes())
    return false;
  bool readsPairs = false;
  std::optional<Rotation> rotation = rotationOf(first, second, readsPairs);
  if (!rotation) {
    if (readsPairs && join.isInterleaved)
      log.refused(op->getLoc(), "elements of pairs are joined after they were computed apart, "
                                "but are no rotation");
    return false;
  }
  OpBuilder b(op);
  Location loc = rotationLocation(op, join, *rotation);
  const char *what = join.isInterleaved ? "a rotation of neighbours in each row"
                                        : "a rotation of the halves of each row";
  if (linalg::GenericOp sum = sumOfTurned(op->getResult(0)))
    if (OpBuilder atSum(sum);
        Value named = namedRotation(atSum, sum, op->getResult(0), join, *rotation)) {
      sum.getResult(0).replaceAllUsesWith(named);
      log.applied(FusedLoc::get(op->getContext(), {loc, sum.getLoc()}), what);
      return true;
    }
  Value rotated = namedRotation(b, loc, first, join, *rotation);
  bool isStatic = llvm::all_of(first.sizes(), [](const Dim &size) { return size.isNumber(); });
  if (!rotated && (!join.isInterleaved || !pairSliceOf(rotation->x)->isInterleaved() || !isStatic))
    return true; // halves stay as they are
  if (!rotated)
    rotated = RotationBuilder(b, first, join, *rotation, loc).build();
  if (join.slice) {
    SmallVector<OpFoldResult> strides(join.shape.size(), b.getIndexAttr(1));
    rotated = tensor::InsertSliceOp::create(b, loc, rotated, join.dest, join.slice->offsets(b),
                                            sizesOf(b, loc, rotated), strides);
  }
  op->getResult(0).replaceAllUsesWith(rotated);
  log.applied(loc, what);
  return true;
}

} // namespace

void raisePairRotations(func::FuncOp func, IdiomLog &log) {
  SmallVector<Operation *> joins;
  func.walk([&](Operation *op) {
    if (isa<tensor::InsertSliceOp, tensor::ConcatOp>(op))
      joins.push_back(op);
  });
  bool hasRotations = false;
  for (Operation *op : joins)
    if (std::optional<PairJoin> join = pairJoin(op))
      hasRotations |= raiseRotation(op, *join, log);
  if (!hasRotations)
    return;
  IRRewriter rewriter(func.getContext());
  (void)runRegionDCE(rewriter, func->getRegions());
}

} // namespace kgen
