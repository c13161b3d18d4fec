#include "transforms/attention/AttentionProducts.h"

#include "transforms/packing/Boxes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

using utils::IteratorType;

AttentionProducts::AttentionProducts(OpBuilder &b, AttentionOp op, TargetAttr target,
                                     AttentionVectors &vectors)
    : batch(op.getBatchRank()), b(b), op(op), loc(op.getLoc()), element(op.getAccumulatorType()),
      lanes(target.lanes(element)), vectors(vectors), d(op.getIterationSizes()[op.dimD()]),
      e(op.getIterationSizes()[op.dimE()]) {}

Value AttentionProducts::emptyOf(ArrayRef<int64_t> shape, Type type) {
  return tensor::EmptyOp::create(b, loc, shape, type);
}

Value AttentionProducts::widened(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  Value init = emptyOf(type.getShape(), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, init.getType(), value, init, maps, iterators,
                                   [&](OpBuilder &inner, Location where, ValueRange in) {
                                     Value wide =
                                         arith::ExtFOp::create(inner, where, element, in[0]);
                                     linalg::YieldOp::create(inner, where, wide);
                                   })
      .getResult(0);
}

Value AttentionProducts::firstOf(Value tensor, int64_t count) {
  auto shape = cast<ShapedType>(tensor.getType()).getShape();
  if (shape.back() == count)
    return tensor;
  SmallVector<int64_t> lengths(shape);
  lengths.back() = count;
  return extract(b, loc, tensor, Box(b, SmallVector<int64_t>(shape.size(), 0), lengths));
}

/// The part of an operand for the current batch indices, without the dimensions of the batch.
Value AttentionProducts::slice(Value tensor, AffineMap map, ArrayRef<Part> parts) {
  Box box;
  SmallVector<int64_t> shape;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank()) {
      box.offsets.push_back(batch[dimension]);
      box.sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    auto part = llvm::find_if(parts, [&](const Part &p) { return p.dimension == dimension; });
    box.offsets.push_back(part->offset);
    box.sizes.push_back(b.getIndexAttr(part->size));
    shape.push_back(part->size);
  }
  return extract(b, loc, tensor, box, shape);
}

void AttentionProducts::widen() {
  k = widened(op.getK());
  v = widened(op.getV());
}

AttentionProducts::Queries AttentionProducts::block(Value first, int64_t count) {
  Value part =
      slice(op.getQ(), op.getQMap(), {{op.dimM(), first, count}, {op.dimD(), vectors.index(0), d}});
  return {first, count, vectors.transpose(part, empty({d, padded(count)}))};
}

/// How a slice is indexed in a space of three dimensions, by pairs of an operand's dimension and
/// one of the space.
AffineMap AttentionProducts::localMap(AffineMap map, ArrayRef<std::pair<unsigned, unsigned>> dims) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    for (auto [from, to] : dims)
      if (cast<AffineDimExpr>(result).getPosition() == from)
        results.push_back(b.getAffineDimExpr(to));
  return AffineMap::get(3, 0, results, b.getContext());
}

/// [rows, k] times [k, columns], with an empty epilogue.
tpp::GemmOp AttentionProducts::product(Value a, AffineMap aMap, Value right, ValueRange extras,
                                       ArrayRef<AffineMap> extraMaps, Value init, bool accumulate) {
  AffineExpr row, column, depth;
  bindDims(b.getContext(), row, column, depth);
  return tpp::GemmOp::create(b, loc, init.getType(), a, right, extras, init, aMap,
                             AffineMap::get(3, 0, {depth, column}, b.getContext()),
                             b.getAffineMapArrayAttr(extraMaps), IntegerAttr(), /*vnni=*/1,
                             accumulate, /*sequential=*/false, /*a_unsigned=*/false,
                             /*b_unsigned=*/false, BlocksAttr(), DenseI64ArrayAttr(),
                             /*half_sums=*/false);
}

/// An extra as the product of keys and queries can read it: where it differs from query to query,
/// with queries in rows that are as long as those of the scores.
Value AttentionProducts::extraTile(Value extra, AffineMap map, const Queries &queries,
                                   const Keys &keys, AffineMap &local) {
  unsigned dimM = op.dimM(), dimN = op.dimN();
  Value part =
      slice(extra, map, {{dimM, queries.first, queries.count}, {dimN, keys.first, keys.count}});
  auto type = cast<RankedTensorType>(part.getType());
  AffineExpr key = b.getAffineDimExpr(0), query = b.getAffineDimExpr(1);
  bool hasM = map.isFunctionOfDim(dimM), hasN = map.isFunctionOfDim(dimN);
  SmallVector<AffineExpr> results;
  if (hasN)
    results.push_back(key);
  if (hasM)
    results.push_back(query);
  local = AffineMap::get(2, 0, results, b.getContext());
  if (!hasM)
    return part;
  Type stored = type.getElementType();
  if (stored.isBF16() || stored.isF16())
    stored = element;
  int64_t columns = padded(queries.count);
  bool queriesFirst = hasN && map.getDimPosition(map.getNumResults() - 1) == dimN;
  if (queriesFirst)
    return vectors.transpose(part, emptyOf({keys.count, columns}, stored));
  if (!hasN) { // a row, as a column
    Value column = tensor::ExpandShapeOp::create(
        b, loc, RankedTensorType::get({queries.count, 1}, type.getElementType()), part,
        SmallVector<ReassociationIndices>{{0, 1}});
    Value row = vectors.transpose(column, emptyOf({1, columns}, stored));
    return tensor::CollapseShapeOp::create(b, loc, row, SmallVector<ReassociationIndices>{{0, 1}});
  }
  return part;
}

Value AttentionProducts::scores(const Queries &queries, const Keys &keys) {
  unsigned dimN = op.dimN(), dimD = op.dimD();
  Value part =
      slice(k, op.getKMap(), {{dimN, keys.first, keys.count}, {dimD, vectors.index(0), d}});
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  for (auto [extra, map] :
       llvm::zip(op.getExtras(), op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    AffineMap local;
    extras.push_back(extraTile(extra, map, queries, keys, local));
    maps.push_back(local);
  }
  tpp::GemmOp gemm =
      product(part, localMap(op.getKMap(), {{dimN, 0}, {dimD, 2}}), queries.transposed, extras,
              maps, empty({keys.count, padded(queries.count)}), /*accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types{element};
  for (Value extra : extras)
    types.push_back(getElementTypeOrSelf(extra.getType()));
  Block *body =
      b.createBlock(&gemm.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));
  IRMapping mapping;
  for (auto [old, argument] : llvm::zip(op.getScore().getArguments(), body->getArguments())) {
    Value value = argument;
    if (old.getType() != value.getType())
      value = arith::TruncFOp::create(b, loc, old.getType(), value);
    mapping.map(old, value);
  }
  for (Operation &inner : op.getScore().front().without_terminator())
    b.clone(inner, mapping);
  Value score = op.getScore().front().getTerminator()->getOperand(0);
  tpp::YieldOp::create(b, loc, mapping.lookupOrDefault(score));
  return gemm.getResult(0);
}

Value AttentionProducts::weighted(Value powers, const Queries &queries, const Keys &keys,
                                  Value init, Value inverse, bool accumulate) {
  Value part = slice(v, op.getVMap(),
                     {{op.dimN(), keys.first, keys.count}, {op.dimE(), vectors.index(0), e}});
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  AffineExpr row = b.getAffineDimExpr(0), depth = b.getAffineDimExpr(2);
  if (inverse) {
    extras.push_back(inverse);
    maps.push_back(AffineMap::get(2, 0, row, b.getContext()));
  }
  tpp::GemmOp gemm =
      product(firstOf(powers, queries.count), AffineMap::get(3, 0, {depth, row}, b.getContext()),
              part, extras, maps, init, accumulate);
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

Value AttentionProducts::scaled(Value values, Value factors, Value init) {
  AffineExpr row, column;
  bindDims(b.getContext(), row, column);
  AffineMap byRow = AffineMap::get(2, 0, row, b.getContext()), all = b.getMultiDimIdentityMap(2);
  SmallVector<Value> inputs{factors};
  SmallVector<AffineMap> maps{byRow, all};
  if (init) {
    inputs.push_back(values);
    maps.push_back(all);
  }
  Value out = init ? init : values;
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, out.getType(), inputs, out, maps, iterators,
             [&](OpBuilder &inner, Location where, ValueRange in) {
               Value product = arith::MulFOp::create(inner, where, in[1], in[0]);
               if (in.back().getType() != element)
                 product = arith::TruncFOp::create(inner, where, in.back().getType(), product);
               linalg::YieldOp::create(inner, where, product);
             })
      .getResult(0);
}

} // namespace kgen
