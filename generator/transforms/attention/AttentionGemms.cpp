#include "transforms/attention/AttentionGemms.h"

#include "dialect/kgen/TensorSlice.h"
#include "transforms/attention/AttentionPatterns.h"

#include <llvm/Support/MathExtras.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {

using utils::IteratorType;

/// A product's own multiplication moves to Q, of which there is less. Where nothing is left to do,
/// so does the one by log2(e); numbers that mask scores may be too large for it.
ScoreScale::ScoreScale(AttentionOp op) {
  Block &region = op.getScore().front();
  Value product = region.getArgument(0), score = region.getTerminator()->getOperand(0);
  if (product.getType() != op.getAccumulatorType())
    return;
  APFloat constant(0.0);
  auto multiply = product.hasOneUse() ? dyn_cast<arith::MulFOp>(*product.user_begin()) : nullptr;
  if (multiply && (matchPattern(multiply.getRhs(), m_ConstantFloat(&constant)) ||
                   matchPattern(multiply.getLhs(), m_ConstantFloat(&constant)))) {
    multiplication = multiply;
    factor = constant.convertToDouble();
  }
  areExponents = score == (multiplication ? multiplication->getResult(0) : product);
  if (areExponents)
    factor *= llvm::numbers::log2e;
}

/// Whether operands are bf16, powers may be, and one instruction multiplies several of them.
static bool multipliesPairs(AttentionOp op, TargetAttr target) {
  Type bf16 = BFloat16Type::get(op.getContext());
  ProductForm form = target.productForm(bf16, bf16);
  return op.getNarrow() == bf16 &&
         llvm::all_of(ValueRange{op.getQ(), op.getK(), op.getV()},
                      [&](Value value) { return getElementTypeOrSelf(value.getType()) == bf16; }) &&
         (form == ProductForm::dotProduct || form == ProductForm::tiles);
}

AttentionGemms::AttentionGemms(OpBuilder &b, AttentionOp op, TargetAttr target,
                               const ScoreScale &scale, OnlineSoftmax &vectors)
    : batch(op.getBatchRank()), b(b), op(op), loc(op.getLoc()), element(op.getAccumulatorType()),
      lanes(target.lanes(element)), cache(target.getL2()), scale(scale), vectors(vectors),
      d(op.getIterationSizes()[op.dimD()]), e(op.getIterationSizes()[op.dimE()]),
      inPairs(multipliesPairs(op, target)) {}

Value AttentionGemms::emptyOf(ArrayRef<int64_t> shape, Type type) {
  return tensor::EmptyOp::create(b, loc, shape, type);
}

Value AttentionGemms::firstOf(Value tensor, int64_t count) {
  auto shape = cast<ShapedType>(tensor.getType()).getShape();
  if (shape.back() == count)
    return tensor;
  SmallVector<int64_t> lengths(shape);
  lengths.back() = count;
  return extract(b, loc, tensor, TensorSlice(b, SmallVector<int64_t>(shape.size(), 0), lengths));
}

/// How a slice is indexed in a space of three dimensions, by pairs of an operand's dimension and
/// one of the space.
AffineMap AttentionGemms::localMap(AffineMap map, ArrayRef<std::pair<unsigned, unsigned>> dims) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    for (auto [from, to] : dims)
      if (cast<AffineDimExpr>(result).getPosition() == from)
        results.push_back(b.getAffineDimExpr(to));
  return AffineMap::get(3, 0, results, b.getContext());
}

/// [rows, k] times [k, columns], or times a panel of pairs, with an empty epilogue.
tpp::GemmOp AttentionGemms::product(Value a, AffineMap aMap, Value right, ValueRange extras,
                                    ArrayRef<AffineMap> epilogueMaps, Value init, bool accumulate) {
  AffineExpr row, column, depth;
  bindDims(b.getContext(), row, column, depth);
  auto shape = cast<ShapedType>(right.getType()).getShape();
  bool isPanel = shape.size() == 4;
  AffineMap map = AffineMap::get(3, 0, {depth, column}, b.getContext());
  IntegerAttr panel = isPanel ? b.getI64IntegerAttr(shape[2]) : IntegerAttr();
  return tpp::GemmOp::create(b, loc, init.getType(), a, right, extras, init, aMap, map,
                             b.getAffineMapArrayAttr(epilogueMaps), panel, /*vnni=*/isPanel ? 2 : 1,
                             accumulate, /*sequential=*/false, /*a_unsigned=*/false,
                             /*b_unsigned=*/false, BlockwiseQuantAttr(), DenseI64ArrayAttr(),
                             /*f16_accumulate=*/false);
}

Value AttentionGemms::scores(const Queries &queries, const Keys &keys) {
  unsigned dimN = op.dimN(), dimD = op.dimD();
  Value part =
      slice(k, op.getKMap(), {{dimN, keys.first, keys.count}, {dimD, vectors.index(0), d}});
  SmallVector<Value> tiles;
  SmallVector<AffineMap> maps;
  for (const Extra &extra : extras) {
    AffineMap local;
    tiles.push_back(epilogueTile(extra, queries, keys, local));
    maps.push_back(local);
  }
  tpp::GemmOp gemm =
      product(part, localMap(op.getKMap(), {{dimN, 0}, {dimD, 2}}), queries.transposed, tiles, maps,
              empty({keys.count, padded(queries.count)}), /*accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types{element};
  for (Value tile : tiles)
    types.push_back(getElementTypeOrSelf(tile.getType()));
  Block *body =
      b.createBlock(&gemm.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));
  IRMapping mapping;
  Value scaled = body->getArgument(0);
  if (inPairs && scale.factor != 1) // Q stays as it was rounded
    scaled = arith::MulFOp::create(
        b, loc, scaled,
        arith::ConstantOp::create(b, loc, b.getFloatAttr(scaled.getType(), scale.factor)));
  for (auto [old, argument] : llvm::zip(op.getScore().getArguments(), body->getArguments())) {
    Value value = argument == body->getArgument(0) ? scaled : argument;
    if (old.getType() != value.getType())
      value = arith::TruncFOp::create(b, loc, old.getType(), value);
    mapping.map(old, value);
  }
  for (Operation &inner : op.getScore().front().without_terminator()) {
    if (&inner == scale.multiplication)
      mapping.map(inner.getResult(0), scaled);
    else
      b.clone(inner, mapping);
  }
  Value score = op.getScore().front().getTerminator()->getOperand(0);
  tpp::YieldOp::create(b, loc, mapping.lookupOrDefault(score));
  return gemm.getResult(0);
}

OnlineSoftmax::Powers AttentionGemms::powers(Value scores, Value base, Value sum) {
  if (!inPairs)
    return vectors.powers(scores, base, sum);
  auto shape = cast<ShapedType>(scores.getType()).getShape();
  Value pairs = emptyOf({llvm::divideCeilSigned(shape[0], 2), 2 * shape[1]}, b.getBF16Type());
  auto [powers, total] = vectors.pairsOfPowers(scores, base, sum, pairs);
  return {panelOf(powers), total};
}

/// The second product, written to `init` or added to it; with `inverse`, multiplied with it.
Value AttentionGemms::product(Value powers, const Queries &queries, const Keys &keys, Value init,
                              Value inverse, bool accumulate) {
  Value part =
      slice(v, vMap, {{op.dimN(), keys.first, keys.count}, {op.dimE(), vectors.index(0), e}});
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  AffineExpr row = b.getAffineDimExpr(0), depth = b.getAffineDimExpr(2);
  if (inverse) {
    extras.push_back(inverse);
    maps.push_back(AffineMap::get(2, 0, row, b.getContext()));
  }
  tpp::GemmOp gemm = inPairs ? product(part, AffineMap::get(3, 0, {row, depth}, b.getContext()),
                                       powers, extras, maps, init, accumulate)
                             : product(firstOf(powers, queries.count),
                                       AffineMap::get(3, 0, {depth, row}, b.getContext()), part,
                                       extras, maps, init, accumulate);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(1 + extras.size(), element);
  mlir::Block *body =
      b.createBlock(&gemm.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));
  Value result = body->getArgument(0);
  if (inverse)
    result = arith::MulFOp::create(b, loc, result, body->getArgument(1));
  if (Type stored = getElementTypeOrSelf(init.getType()); stored != element)
    result = arith::TruncFOp::create(b, loc, stored, result);
  tpp::YieldOp::create(b, loc, result);
  return gemm.getResult(0);
}

Value AttentionGemms::weighted(Value powers, const Queries &queries, const Keys &keys,
                               Value before) {
  Value init = before;
  if (!init)
    init = inPairs ? empty({e, padded(queries.count)}) : empty({queries.count, e});
  return product(powers, queries, keys, init, /*inverse=*/{}, /*accumulate=*/before != nullptr);
}

Value AttentionGemms::scaled(Value sums, const Queries &queries, Value factors) {
  AffineMap all = b.getMultiDimIdentityMap(2),
            byQuery = AffineMap::get(2, 0, b.getAffineDimExpr(inPairs ? 1 : 0), b.getContext());
  if (!inPairs)
    factors = firstOf(factors, queries.count);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, sums.getType(), factors, sums, {byQuery, all}, iterators,
                                   [&](OpBuilder &inner, Location where, ValueRange in) {
                                     Value product =
                                         arith::MulFOp::create(inner, where, in[1], in[0]);
                                     linalg::YieldOp::create(inner, where, product);
                                   })
      .getResult(0);
}

Value AttentionGemms::divided(Value sums, const Queries &queries, Value sum, Value target) {
  AffineExpr query, column;
  bindDims(b.getContext(), query, column);
  AffineMap all = b.getMultiDimIdentityMap(2),
            byQuery = AffineMap::get(2, 0, query, b.getContext()),
            ofSums = inPairs ? AffineMap::get(2, 0, {column, query}, b.getContext()) : all;
  Value inverse = firstOf(vectors.reciprocals(sum), queries.count);
  if (inPairs)
    sums = firstOf(sums, queries.count);
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, target.getType(), ValueRange{sums, inverse}, target, {ofSums, byQuery, all},
             iterators,
             [&](OpBuilder &inner, Location where, ValueRange in) {
               Value quotient = arith::MulFOp::create(inner, where, in[0], in[1]);
               if (in[2].getType() != element)
                 quotient = arith::TruncFOp::create(inner, where, in[2].getType(), quotient);
               linalg::YieldOp::create(inner, where, quotient);
             })
      .getResult(0);
}

Value AttentionGemms::average(Value powers, const Queries &queries, const Keys &keys, Value sum,
                              Value target) {
  if (inPairs)
    return divided(weighted(powers, queries, keys, {}), queries, sum, target);
  Value inverse = firstOf(vectors.reciprocals(sum), queries.count);
  return product(powers, queries, keys, target, inverse, /*accumulate=*/false);
}

} // namespace kgen
