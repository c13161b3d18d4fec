#include "transforms/idioms/NamedRotation.h"

#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/SymbolicShape.h"
#include "dialect/kgen/UnitDims.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

using Factors = SmallVector<unsigned, 2>;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Factors flattened(ArrayRef<Factors> at) {
  Factors all;
  for (ArrayRef<unsigned> factors : at)
    all.append(factors.begin(), factors.end());
  return all;
}

/// True for all factors of a space in row-major order: elements are not transposed.
bool areInOrder(ArrayRef<unsigned> factors, unsigned count) {
  return llvm::equal(factors, llvm::seq<unsigned>(0, count));
}

/// The factors of dimensions of these sizes that `at` has for the same ones without some of size 1.
std::optional<SmallVector<Factors>> alignedFactors(ArrayRef<int64_t> sizes, const Subscripts &at) {
  SmallVector<Factors> found;
  auto *next = at.begin();
  for (int64_t size : sizes) {
    found.emplace_back();
    if (size == 1)
      continue;
    while (next != at.end() && next->empty())
      ++next;
    if (next == at.end())
      return std::nullopt;
    found.back() = Factors(*next++);
  }
  return found;
}

/// The dimensions of a row's tensor but the last, and of the pairs that are the last.
struct RowSpace {
  SmallVector<Factors> outer;
  Factors pairs;
};

/// Cosines or sines, as the operation has them.
struct Angles {
  Value tensor;
  SmallVector<int64_t> dimensions;
  bool isEachElement = false;
};

/// `tensor` with dimensions of `at`, without those of size 1 but the last, which has numbers for
/// pairs, or for each element. Nothing if they are none of the rows' with the pairs last.
std::optional<Angles> anglesOnRows(OpBuilder &b, Location loc, Value tensor, ArrayRef<Factors> at,
                                   const RowSpace &rows, bool isEachElement) {
  Angles angles;
  angles.isEachElement = isEachElement;
  bool hasPairs = rows.pairs.empty();
  for (ArrayRef<unsigned> factors : at) {
    if (factors.empty())
      continue;
    if (hasPairs && !rows.pairs.empty())
      return std::nullopt; // pairs are not last
    if (factors == ArrayRef(rows.pairs)) {
      hasPairs = true;
      continue;
    }
    auto *dimension =
        llvm::find_if(rows.outer, [&](const Factors &outer) { return ArrayRef(outer) == factors; });
    if (dimension == rows.outer.end())
      return std::nullopt;
    angles.dimensions.push_back(dimension - rows.outer.begin());
  }
  if (!hasPairs)
    return std::nullopt;
  SmallVector<int64_t> shape = withoutUnitDims(typeOf(tensor).getShape());
  angles.tensor = dropUnitDims(b, loc, tensor);
  if (rows.pairs.empty() && !isEachElement) {
    shape.push_back(1);
    angles.tensor = addUnitDims(b, loc, angles.tensor, shape);
  }
  return angles;
}

/// A tensor of pairs of neighbours as a dimension, with the dimension before it twice as long
/// instead.
Value withoutPairDim(OpBuilder &b, Location loc, Value pairs) {
  RankedTensorType type = typeOf(pairs);
  SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.back() *= 2;
  if (auto expand = pairs.getDefiningOp<tensor::ExpandShapeOp>();
      expand && expand.getSrcType().getShape() == ArrayRef(shape))
    return expand.getSrc();
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d + 1 < type.getRank(); ++d)
    groups.push_back({d});
  groups.back().push_back(type.getRank() - 1);
  return tensor::CollapseShapeOp::create(b, loc, type.clone(shape), pairs, groups);
}

/// The pairs that are one slice of a tensor.
struct PairRows {
  Value tensor; ///< pairs are its last dimension
  SmallVector<Factors> at;
};

/// The pairs of which `e` is the first element. Nothing if their sizes are not known.
std::optional<PairRows> pairRows(OpBuilder &b, Location loc, const Expression *e) {
  PairSlice slice = *pairSliceOf(e);
  RankedTensorType source = typeOf(slice.source);
  auto at = alignedFactors(slice.sizes, e->subscripts);
  if (!at)
    return std::nullopt;
  Value rows;
  if (ShapedType::isDynamicShape(slice.sizes)) {
    std::optional<TensorShape> whole = knownShapeOf(slice.source), part = knownShapeOf(e->tensor);
    bool isWhole = whole && part && part->size() == whole->size() &&
                   slice.shape().back() == source.getShape().back();
    for (size_t d = 0; isWhole && d + 1 < whole->size(); ++d)
      isWhole = whole->dim(d) == part->dim(d);
    if (!isWhole)
      return std::nullopt;
    rows = slice.source;
  } else {
    rows = slice.extract(b, loc);
  }
  if (slice.isInterleaved() && !slice.isStrided && source.getRank() > 1) {
    at->pop_back();
    return PairRows{withoutPairDim(b, loc, rows), std::move(*at)};
  }
  return PairRows{rows, std::move(*at)};
}

/// A factor of both elements of pairs.
std::optional<Angles> anglesOf(OpBuilder &b, Location loc, const RotationFactor &factor,
                               bool isInterleaved, const RowSpace &rows) {
  if (isSameElement(factor.first, factor.second)) {
    SmallVector<Factors> at(factor.first->subscripts.begin(), factor.first->subscripts.end());
    return factor.first->tensor
               ? anglesOnRows(b, loc, factor.first->tensor, at, rows, /*isEachElement=*/false)
               : std::nullopt;
  }
  if (pairSliceOf(factor.first)->isInterleaved() != isInterleaved)
    return std::nullopt;
  std::optional<PairRows> pairs = pairRows(b, loc, factor.first);
  return pairs ? anglesOnRows(b, loc, pairs->tensor, pairs->at, rows, /*isEachElement=*/true)
               : std::nullopt;
}

/// True if one shape is made of the other one's dimensions.
bool canReshape(RankedTensorType from, ArrayRef<int64_t> to) {
  if (from.getShape() == to)
    return true;
  if (!from.hasStaticShape()) // pairs as a dimension of their own
    return to.size() == static_cast<size_t>(from.getRank()) + 1 &&
           to.drop_back(2) == from.getShape().drop_back();
  SmallVector<int64_t> before = withoutUnitDims(from.getShape()), after = withoutUnitDims(to);
  return before == after || getReassociationIndicesForReshape(cast<ShapedType>(from.clone(before)),
                                                              cast<ShapedType>(from.clone(after)))
                                .has_value();
}

Value reshaped(OpBuilder &b, Location loc, Value value, ArrayRef<int64_t> to) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == to)
    return value;
  if (!type.hasStaticShape()) {
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, value);
    sizes.back() = b.getIndexAttr(to[to.size() - 2]);
    sizes.push_back(b.getIndexAttr(2));
    SmallVector<ReassociationIndices> groups;
    for (int64_t d = 0; d < type.getRank(); ++d)
      groups.push_back({d});
    groups.back().push_back(type.getRank());
    return tensor::ExpandShapeOp::create(b, loc, type.clone(to), value, groups, sizes);
  }
  return inShape(b, loc, value, to);
}

RotaryEmbeddingOp createEmbedding(OpBuilder &b, Location loc, Value rows, Type element,
                                  const Angles &cosines, const Angles &sines, bool isInterleaved) {
  return RotaryEmbeddingOp::create(b, loc, typeOf(rows).clone(element), rows, cosines.tensor,
                                   sines.tensor, b.getDenseI64ArrayAttr(cosines.dimensions),
                                   isInterleaved ? b.getUnitAttr() : UnitAttr(),
                                   cosines.isEachElement ? b.getUnitAttr() : UnitAttr());
}

bool agree(const std::optional<Angles> &cosines, const std::optional<Angles> &sines) {
  return cosines && sines && cosines->dimensions == sines->dimensions &&
         cosines->isEachElement == sines->isEachElement;
}

/// True if both terms are there, with the signs of a rotation.
bool isEmbedding(const Rotation &r) {
  return r.hasOwn && !r.isOwnNegative[0] && !r.isOwnNegative[1] && r.isOtherNegative[0] &&
         !r.isOtherNegative[1] && r.own.first && r.other.first && !r.own.first->isConstant() &&
         !r.other.first->isConstant();
}

} // namespace

Value namedRotation(OpBuilder &b, Location loc, const ExpressionTree &space, const PairJoin &join,
                    const Rotation &r) {
  PairSlice x = *pairSliceOf(r.x);
  bool isInterleaved = x.isInterleaved();
  if (!isEmbedding(r) || isInterleaved != join.isInterleaved)
    return {};
  std::optional<PairRows> rows = pairRows(b, loc, r.x);
  if (!rows || !areInOrder(flattened(rows->at), space.numFactors()) ||
      !canReshape(typeOf(rows->tensor), join.shape))
    return {};
  RowSpace onRows{SmallVector<Factors>(ArrayRef(rows->at).drop_back()), rows->at.back()};
  auto cosines = anglesOf(b, loc, r.own, isInterleaved, onRows),
       sines = anglesOf(b, loc, r.other, isInterleaved, onRows);
  if (!agree(cosines, sines))
    return {};
  Type element = getElementTypeOrSelf(join.first.getType());
  RotaryEmbeddingOp op =
      createEmbedding(b, loc, rows->tensor, element, *cosines, *sines, isInterleaved);
  return reshaped(b, loc, op.getResult(), join.shape);
}

namespace {

/// Returns the tensor that `value` is a reshape of.
Value withoutReshapes(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Rows in the shape of a sum, whose last factor is the elements of a pair where it is divided.
class TurnedSum {
public:
  TurnedSum(Value sum, Value turned) : tree(sum), turned(turned) {}

  /// The factors of x * c + turned * s; false if it is something else.
  bool match() {
    if (!tree.root() || !operationOf<arith::AddFOp>(tree.root()))
      return false;
    for (unsigned first : {0, 1}) {
      const Expression *own = tree.root()->operands[first],
                       *other = tree.root()->operands[1 - first];
      if (operationOf<arith::MulFOp>(own) && operationOf<arith::MulFOp>(other) &&
          takeTurned(other)) {
        product = own;
        return true;
      }
    }
    return false;
  }

  bool isWhole(const Expression *e) const {
    return areInOrder(flattened(SmallVector<Factors>(e->subscripts.begin(), e->subscripts.end())),
                      tree.numFactors());
  }

  ExpressionTree tree;
  Value turned;
  const Expression *product = nullptr, *sine = nullptr;

private:
  bool takeTurned(const Expression *other) {
    for (unsigned i : {0, 1})
      if (const Expression *e = other->operands[i];
          e->kind == Expression::Kind::element && e->tensor == turned && isWhole(e)) {
        sine = other->operands[1 - i];
        return true;
      }
    return false;
  }
};

/// True if `e` has the pairs that `slice` has the first elements of, in their order.
bool hasPairs(const Expression *e, const PairSlice &slice) {
  if (!e->tensor || ShapedType::isDynamicShape(slice.sizes))
    return false;
  Value tensor = withoutReshapes(e->tensor), source = withoutReshapes(slice.source);
  if (tensor == source)
    return typeOf(slice.source).getShape() == ArrayRef(slice.shape());
  auto rows = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  Builder b(tensor.getContext());
  return rows && rows.hasUnitStride() && rows.getSource() == slice.source &&
         rows.getType().getShape() == ArrayRef(slice.shape()) &&
         rows.getMixedOffsets() == slice.offsets(b);
}

} // namespace

Value namedRotation(OpBuilder &b, linalg::GenericOp sum, Value turned, const PairJoin &join,
                    const Rotation &r) {
  PairSlice x = *pairSliceOf(r.x);
  bool isTurn = !r.hasOwn && !r.other.first && r.isOtherNegative[0] && !r.isOtherNegative[1] &&
                x.isInterleaved() && join.isInterleaved && !join.slice;
  TurnedSum match(sum.getResult(0), turned);
  RankedTensorType type = typeOf(sum.getResult(0));
  if (!isTurn || !type.hasStaticShape() || type.getRank() == 0 || !match.match())
    return {};
  const Expression *cosine = nullptr, *rows = nullptr;
  for (unsigned i : {0, 1})
    if (const Expression *e = match.product->operands[i]; hasPairs(e, x) && match.isWhole(e)) {
      rows = e;
      cosine = match.product->operands[1 - i];
    }
  SmallVector<Factors> at(match.tree.rootSubscripts().begin(), match.tree.rootSubscripts().end());
  if (!rows || at.back().empty() || !canReshape(typeOf(rows->tensor), type.getShape()))
    return {};
  Location loc = sum.getLoc();
  // With the pairs' elements apart, or all of them.
  Factors whole = at.back(), pairs = whole;
  bool isDivided = *match.tree.sizes()[whole.back()].number() == 2;
  if (isDivided)
    pairs.pop_back();
  auto anglesIn = [&](const Expression *e) -> std::optional<Angles> {
    if (!e->tensor)
      return std::nullopt;
    SmallVector<Factors> own(e->subscripts.begin(), e->subscripts.end());
    SmallVector<Factors> outer(ArrayRef(at).drop_back());
    bool isEach = !own.empty() && own.back() == whole;
    if (!isDivided && !isEach)
      return std::nullopt;
    return anglesOnRows(b, loc, e->tensor, own, {outer, isEach ? whole : pairs}, isEach);
  };
  auto cosines = anglesIn(cosine), sines = anglesIn(match.sine);
  if (!agree(cosines, sines))
    return {};
  Value input = reshaped(b, loc, rows->tensor, type.getShape());
  return createEmbedding(b, loc, input, type.getElementType(), *cosines, *sines,
                         /*isInterleaved=*/true)
      .getResult();
}

} // namespace kgen
