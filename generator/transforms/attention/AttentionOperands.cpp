// What the products of kgen-decompose-attention read: operands that are prepared for all blocks,
// and the parts of them that a block takes.
#include "dialect/kgen/Decisions.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/attention/AttentionGemms.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

/// The part of an operand for the current batch indices, without the dimensions of the batch.
Value AttentionGemms::slice(Value tensor, AffineMap map, ArrayRef<Part> parts) {
  TensorSlice box;
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

/// A tensor of rows and columns, the first and the last of its dimensions that are no batch's, as
/// [batch..., columns, whole vectors of rows] of another type; and its map.
std::pair<Value, AffineMap> AttentionGemms::transposed(Value tensor, AffineMap map, Type type) {
  SmallVector<int64_t> sizes = op.getIterationSizes(), counts;
  SmallVector<unsigned> batches, own;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    (dimension < op.getBatchRank() ? batches : own).push_back(dimension);
  }
  unsigned rows = own.front(), columns = own.back();
  for (unsigned dimension : batches)
    counts.push_back(sizes[dimension]);
  SmallVector<int64_t> shape(counts), matrix{sizes[columns], padded(sizes[rows])};
  shape.append(matrix);
  auto forall = scf::ForallOp::create(b, loc, getAsIndexOpFoldResult(b.getContext(), counts),
                                      emptyOf(shape, type), std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  TensorSlice box(b, SmallVector<int64_t>(shape.size(), 0), matrix);
  box.sizes.insert(box.sizes.begin(), counts.size(), b.getIndexAttr(1));
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    box.offsets[i] = iv;
    batch[batches[i]] = iv;
  }
  Value part =
      slice(tensor, map,
            {{rows, vectors.index(0), sizes[rows]}, {columns, vectors.index(0), sizes[columns]}});
  Value out = forall.getRegionIterArgs()[0];
  Value turned = vectors.transpose(part, extract(b, loc, out, box, matrix));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, turned, out, box.offsets, box.sizes,
                                        box.strides(b));
  SmallVector<AffineExpr> results;
  for (unsigned dimension : batches)
    results.push_back(b.getAffineDimExpr(dimension));
  results.append({b.getAffineDimExpr(columns), b.getAffineDimExpr(rows)});
  return {forall.getResult(0), AffineMap::get(map.getNumDims(), 0, results, b.getContext())};
}

/// An extra that several parts of the batch read is transposed for all of them, if the second-level
/// cache keeps it: no memory grows with the square of the length.
AttentionGemms::Extra AttentionGemms::prepared(Value tensor, AffineMap map) {
  SmallVector<int64_t> sizes = op.getIterationSizes();
  bool queriesFirst = map.isFunctionOfDim(op.dimM()) && map.getNumResults() > 0 &&
                      map.getDimPosition(map.getNumResults() - 1) == op.dimN();
  bool isShared = llvm::any_of(llvm::seq(op.getBatchRank()), [&](unsigned dimension) {
    return sizes[dimension] > 1 && !map.isFunctionOfDim(dimension);
  });
  auto type = cast<RankedTensorType>(tensor.getType());
  bool isSmall = type.getNumElements() * bytesOfElement(typeInTile(tensor)) <= cache / 2;
  if (!queriesFirst || !isShared || !isSmall)
    return {tensor, map, /*isTransposed=*/false};
  auto [turned, turnedMap] = transposed(tensor, map, typeInTile(tensor));
  return {turned, turnedMap, /*isTransposed=*/true};
}

void AttentionGemms::prepare() {
  q = op.getQ();
  vMap = op.getVMap();
  if (inPairs) {
    q = beforeRounding(q);
    k = op.getK();
    std::tie(v, vMap) = transposed(beforeRounding(op.getV()), vMap, b.getBF16Type());
  } else {
    k = inElementType(b, op.getK(), element);
    v = inElementType(b, op.getV(), element);
  }
  for (auto [extra, map] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    extras.push_back(prepared(extra, map));
}

/// [pairs, 2 * queries] as a right operand that is packed.
Value AttentionGemms::panelOf(Value pairs) {
  auto type = cast<RankedTensorType>(pairs.getType());
  int64_t count = type.getDimSize(0), width = type.getDimSize(1) / 2;
  return tensor::ExpandShapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{1, count, width, 2}),
                                       pairs, SmallVector<ReassociationIndices>{{0, 1}, {2, 3}});
}

AttentionGemms::Queries AttentionGemms::block(Value first, int64_t count) {
  Value part =
      slice(q, op.getQMap(), {{op.dimM(), first, count}, {op.dimD(), vectors.index(0), d}});
  if (!inPairs)
    return {first, count, vectors.transpose(part, empty({d, padded(count)}), scale.factor)};
  Value pairs = emptyOf({llvm::divideCeilSigned(d, 2), 2 * padded(count)}, b.getBF16Type());
  return {first, count, panelOf(vectors.transposePairs(part, pairs))};
}

/// The type of an extra's tile: converting it takes no more than transposing it.
Type AttentionGemms::typeInTile(Value extra) {
  Type stored = getElementTypeOrSelf(extra.getType());
  return stored.isBF16() || stored.isF16() ? element : stored;
}

/// An extra as the product of keys and queries can read it: where it differs from query to query,
/// with queries in rows that are as long as those of the scores.
Value AttentionGemms::epilogueTile(const Extra &extra, const Queries &queries, const Keys &keys,
                                   AffineMap &local) {
  unsigned dimM = op.dimM(), dimN = op.dimN();
  AffineMap map = extra.map;
  int64_t columns = padded(queries.count);
  Value part = slice(extra.value, map,
                     {{dimM, queries.first, extra.isTransposed ? columns : queries.count},
                      {dimN, keys.first, keys.count}});
  AffineExpr key = b.getAffineDimExpr(0), query = b.getAffineDimExpr(1);
  bool hasM = map.isFunctionOfDim(dimM), hasN = map.isFunctionOfDim(dimN);
  SmallVector<AffineExpr> results;
  if (hasN)
    results.push_back(key);
  if (hasM)
    results.push_back(query);
  local = AffineMap::get(2, 0, results, b.getContext());
  if (!hasM || extra.isTransposed)
    return part;
  Type stored = typeInTile(part);
  bool queriesFirst = hasN && map.getDimPosition(map.getNumResults() - 1) == dimN;
  if (queriesFirst)
    return vectors.transpose(part, emptyOf({keys.count, columns}, stored));
  if (!hasN) { // a row, as a column
    auto type = cast<RankedTensorType>(part.getType());
    Value column =
        tensor::ExpandShapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{queries.count, 1}), part,
                                      SmallVector<ReassociationIndices>{{0, 1}});
    Value row = vectors.transpose(column, emptyOf({1, columns}, stored));
    return tensor::CollapseShapeOp::create(b, loc, row, SmallVector<ReassociationIndices>{{0, 1}});
  }
  return part;
}

} // namespace kgen
