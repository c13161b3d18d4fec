// The operands of the gemms of kgen-decompose-attention: those that are prepared once for all
// blocks, and the slices of them that a block reads.
#include "analysis/SizeBounds.h"
#include "dialect/kgen/TensorSlice.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/attention/AttentionGemms.h"
#include "transforms/attention/AttentionPatterns.h"
#include "transforms/attention/AttentionSizes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

Value AttentionGemms::zeros(ArrayRef<int64_t> shape, Type type) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return linalg::FillOp::create(b, loc, zero, emptyOf(shape, type)).getResult(0);
}

/// A tensor of `shape` that begins with `slice`; zeros follow.
Value AttentionGemms::padWithZeros(Value slice, ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> begin(shape.size(), b.getIndexAttr(0));
  TensorSlice part(begin, sizesOf(b, loc, slice));
  return insert(b, loc, slice, zeros(shape, getElementTypeOrSelf(slice.getType())), part);
}

/// The slice of an operand at the current batch indices, without the batch dimensions; with zeros
/// for indices that are not there.
Value AttentionGemms::extractSlice(Value tensor, AffineMap map, ArrayRef<DimRange> ranges) {
  TensorSlice slice;
  SmallVector<int64_t> shape, available;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank()) {
      slice.offsets.push_back(batch[dimension]);
      slice.sizes.push_back(b.getIndexAttr(1));
      continue;
    }
    auto range =
        llvm::find_if(ranges, [&](const DimRange &other) { return other.dimension == dimension; });
    slice.offsets.push_back(range->offset);
    slice.sizes.push_back(range->available ? OpFoldResult(range->available)
                                           : b.getIndexAttr(range->size));
    shape.push_back(range->size);
    available.push_back(range->available ? ShapedType::kDynamic : range->size);
  }
  Value part = extract(b, loc, tensor, slice, available);
  return available == shape ? part : padWithZeros(part, shape);
}

/// Transposes a tensor once for all blocks. Its rows and columns are the first and the last of its
/// dimensions besides the batch. Returns [batch..., columns, rows rounded up to whole vectors] with
/// elements of `type`, and the map of that.
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
  TensorSlice slice(b, SmallVector<int64_t>(shape.size(), 0), matrix);
  slice.sizes.insert(slice.sizes.begin(), counts.size(), b.getIndexAttr(1));
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    slice.offsets[i] = iv;
    batch[batches[i]] = iv;
  }
  Value matrixSlice = extractSlice(
      tensor, map,
      {{rows, softmax.index(0), sizes[rows]}, {columns, softmax.index(0), sizes[columns]}});
  Value out = forall.getRegionIterArgs()[0];
  Value transposedTensor = softmax.transpose(matrixSlice, extract(b, loc, out, slice, matrix));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, transposedTensor, out, slice.offsets, slice.sizes,
                                        slice.strides(b));
  SmallVector<AffineExpr> results;
  for (unsigned dimension : batches)
    results.push_back(b.getAffineDimExpr(dimension));
  results.append({b.getAffineDimExpr(columns), b.getAffineDimExpr(rows)});
  return {forall.getResult(0), AffineMap::get(map.getNumDims(), 0, results, b.getContext())};
}

/// Transposes an epilogue operand once for all blocks if all hold:
///   it is indexed by queries and keys, keys last (tiles of scores have queries last);
///   it is the same for several indices of a batch dimension;
///   it takes at most half of L2. So no workspace grows with the square of the sequence length.
AttentionGemms::EpilogueOperand AttentionGemms::prepareEpilogueOperand(Value tensor,
                                                                       AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.hasStaticShape())
    return {tensor, map, /*isTransposed=*/false};
  AttentionSizes sizes(op);
  bool queriesFirst = map.isFunctionOfDim(op.dimM()) && map.getNumResults() > 0 &&
                      map.getDimPosition(map.getNumResults() - 1) == op.dimN();
  bool isShared = llvm::any_of(llvm::seq(op.getBatchRank()), [&](unsigned dimension) {
    return sizes.greatestOf(dimension) > 1 && !map.isFunctionOfDim(dimension);
  });
  bool isSmall = type.getNumElements() * bytesOfElement(typeInTile(tensor)) <= cache / 2;
  if (!queriesFirst || !isShared || !isSmall)
    return {tensor, map, /*isTransposed=*/false};
  auto [result, resultMap] = transposed(tensor, map, typeInTile(tensor));
  return {result, resultMap, /*isTransposed=*/true};
}

void AttentionGemms::prepare() {
  q = op.getQ();
  vMap = op.getVMap();
  if (isVnni) {
    q = beforeRounding(q);
    k = op.getK();
    std::tie(v, vMap) = transposed(beforeRounding(op.getV()), vMap, b.getBF16Type());
  } else {
    k = inElementType(b, op.getK(), element);
    v = inElementType(b, op.getV(), element);
  }
  for (auto [operand, map] :
       llvm::zip(op.getEpilogueIns(), op.getEpilogueMaps().getAsValueRange<AffineMapAttr>()))
    epilogueOperands.push_back(prepareEpilogueOperand(operand, map));
}

/// [pairs, 2 * queries] as a packed right operand [1, pairs, queries, 2].
Value AttentionGemms::vnniPanel(Value pairs) {
  auto type = cast<RankedTensorType>(pairs.getType());
  int64_t count = type.getDimSize(0), width = type.getDimSize(1) / 2;
  return tensor::ExpandShapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{1, count, width, 2}),
                                       pairs, SmallVector<ReassociationIndices>{{0, 1}, {2, 3}});
}

AttentionGemms::QueryBlock AttentionGemms::queryBlock(Value first, int64_t count, Value available) {
  Value querySlice = extractSlice(
      q, op.getQMap(), {{op.dimM(), first, count, available}, {op.dimD(), softmax.index(0), d}});
  if (!isVnni)
    return {first, count, available,
            softmax.transpose(querySlice, empty({d, padded(count)}), scale.factor)};
  Value pairs = emptyOf({llvm::divideCeilSigned(d, 2), 2 * padded(count)}, b.getBF16Type());
  return {first, count, available, vnniPanel(softmax.transposeVnni(querySlice, pairs))};
}

/// The element type of an epilogue operand's tile. bf16 and f16 are extended while they are
/// transposed: that is no slower than transposing alone.
Type AttentionGemms::typeInTile(Value operand) {
  Type stored = getElementTypeOrSelf(operand.getType());
  return stored.isBF16() || stored.isF16() ? element : stored;
}

/// The slice of an epilogue operand in the layout of a tile of scores, [keys, queries]: queries
/// last and as many as the tile has columns. `local` becomes its map.
Value AttentionGemms::epilogueTile(const EpilogueOperand &operand, const QueryBlock &queries,
                                   const KeyBlock &keys, AffineMap &local) {
  unsigned dimM = op.dimM(), dimN = op.dimN();
  AffineMap map = operand.map;
  int64_t columns = padded(queries.count);
  Value available = operand.isTransposed ? Value() : queries.available;
  Value tile = extractSlice(
      operand.value, map,
      {{dimM, queries.first, operand.isTransposed ? columns : queries.count, available},
       {dimN, keys.first, keys.count, keys.available}});
  AffineExpr key = b.getAffineDimExpr(0), query = b.getAffineDimExpr(1);
  bool hasM = map.isFunctionOfDim(dimM), hasN = map.isFunctionOfDim(dimN);
  SmallVector<AffineExpr> results;
  if (hasN)
    results.push_back(key);
  if (hasM)
    results.push_back(query);
  local = AffineMap::get(2, 0, results, b.getContext());
  if (!hasM || operand.isTransposed)
    return tile;
  Type stored = typeInTile(tile);
  bool queriesFirst = hasN && map.getDimPosition(map.getNumResults() - 1) == dimN;
  if (queriesFirst)
    return softmax.transpose(tile, emptyOf({keys.count, columns}, stored));
  if (!hasN) { // one element for each query, padded to whole vectors
    auto type = cast<RankedTensorType>(tile.getType());
    Value column =
        tensor::ExpandShapeOp::create(b, loc, type.clone(ArrayRef<int64_t>{queries.count, 1}), tile,
                                      SmallVector<ReassociationIndices>{{0, 1}});
    Value row = softmax.transpose(column, emptyOf({1, columns}, stored));
    return tensor::CollapseShapeOp::create(b, loc, row, SmallVector<ReassociationIndices>{{0, 1}});
  }
  return tile;
}

} // namespace kgen
