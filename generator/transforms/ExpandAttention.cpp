// kgen.attention as loops over blocks of queries and keys.
#include "dialect/tpp/Tpp.h"
#include "transforms/AttentionVectors.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "transforms/Passes.h.inc"

namespace {

using utils::IteratorType;
using Values = AttentionVectors::Values;

/// Writes the loops for one operation. Scores are computed as [keys, queries]: K is read in place
/// as the left operand, a block of Q is transposed once, and a lane of a vector is a query
/// throughout.
class AttentionLoops {
public:
  AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork);

  void run();

private:
  /// A range of a dimension.
  struct Part {
    unsigned dimension;
    Value offset;
    int64_t size;
  };
  /// What a block of queries works with.
  struct Queries {
    Value first; ///< of the block, among all
    int64_t count;
    Value transposed; ///< [d, whole vectors of queries]
  };
  /// A block of keys, and whether some queries may not see some of them.
  struct Keys {
    Value first;
    int64_t count;
    bool masked;
  };

  void chooseBlocks();
  void chooseTasks(int64_t taskWork);
  Value widened(Value value);
  Value slice(Value tensor, AffineMap map, ArrayRef<Part> parts);
  AffineMap localMap(AffineMap map, ArrayRef<std::pair<unsigned, unsigned>> dims);
  Value empty(ArrayRef<int64_t> shape) { return emptyOf(shape, element); }
  Value emptyOf(ArrayRef<int64_t> shape, Type type) {
    return tensor::EmptyOp::create(b, loc, shape, type);
  }
  int64_t padded(int64_t count) { return llvm::alignTo(count, lanes); }
  tpp::GemmOp product(Value a, AffineMap aMap, Value right, ValueRange extras,
                      ArrayRef<AffineMap> extraMaps, Value init, bool accumulate);
  Value extraTile(Value extra, AffineMap map, const Queries &queries, const Keys &keys,
                  AffineMap &local);
  Value scores(const Queries &queries, const Keys &keys);
  Value weighted(Value powers, const Queries &queries, const Keys &keys, Value sums, Value inverse,
                 bool accumulate);
  Value scaled(Value values, Value factors, Value init);
  Value firstOf(Value tensor, int64_t count);
  Value overTask(Value tile);
  Value overBatch(unsigned dimension, Value tile);
  Value overRows(Value tile);
  Value block(Value tile, Value row, int64_t count);
  Value inOneBlock(const Queries &queries, Value target);
  Value inBlocks(const Queries &queries, Value target);
  std::optional<AttentionVectors::Causal> causal(const Queries &queries, const Keys &keys);

  AttentionOp op;
  TargetAttr target;
  OpBuilder b;
  Location loc;
  SmallVector<int64_t> sizes;
  Type element; ///< of sums
  int64_t lanes;
  AttentionVectors vectors;
  int64_t m, n, d, e;         ///< sizes
  int64_t rowBlock, keyBlock; ///< queries and keys of a block
  SmallVector<int64_t> tasks; ///< parts of each dimension of the batch, and of m
  SmallVector<Value> start;   ///< of a task's part, the same
  SmallVector<Value> batch;   ///< the current indices
  Value k, v;                 ///< in the type of sums
};

AttentionLoops::AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork)
    : op(op), target(target), b(op), loc(op.getLoc()), sizes(op.getIterationSizes()),
      element(op.getAccumulatorType()), lanes(target.lanes(element)),
      vectors(b, loc, element, target), m(sizes[op.dimM()]), n(sizes[op.dimN()]),
      d(sizes[op.dimD()]), e(sizes[op.dimE()]), batch(op.getBatchRank()) {
  chooseBlocks();
  chooseTasks(taskWork);
}

/// Rows of a block of scores are a panel of sums long, two cache lines: measured, 5 % faster than
/// four or six of them. As many keys as let the block fill half of the first cache, in blocks of
/// equal size; twice as many at most are one block, which is not corrected.
void AttentionLoops::chooseBlocks() {
  constexpr int64_t rowBytes = 128;
  rowBlock = std::min(m, rowBytes / (element.getIntOrFloatBitWidth() / 8));
  int64_t most = std::max<int64_t>(16, target.getL1d() / 2 / rowBytes);
  keyBlock = n <= 2 * most ? n : llvm::divideCeil(n, llvm::divideCeil(n, most));
}

/// A part of a batch dimension or of the queries is a task, if there is enough to do: outer
/// dimensions first, each in equal parts.
void AttentionLoops::chooseTasks(int64_t taskWork) {
  constexpr int64_t mostTasks = 32, enoughTasks = 8;
  int64_t work = 2 * m * n * (d + e), count = 1;
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    work *= sizes[i];
  int64_t wanted = std::min(mostTasks, work / taskWork);
  auto cut = [&](int64_t size, int64_t least) {
    int64_t best = 1;
    if (wanted >= 2 && count < std::min(wanted, enoughTasks))
      for (int64_t parts = 2; parts <= std::min(size, mostTasks); ++parts) {
        if (size % parts != 0 || size / parts < least)
          continue;
        best = parts;
        if (count * parts >= wanted)
          break;
      }
    tasks.push_back(best);
    count *= best;
  };
  for (unsigned i = 0; i < op.getBatchRank(); ++i)
    cut(sizes[i], 1);
  cut(m, rowBlock);
}

Value AttentionLoops::widened(Value value) {
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

/// The first `count` elements of the last dimension.
Value AttentionLoops::firstOf(Value tensor, int64_t count) {
  auto shape = cast<ShapedType>(tensor.getType()).getShape();
  if (shape.back() == count)
    return tensor;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      strides(shape.size(), b.getIndexAttr(1)),
      lengths(getAsIndexOpFoldResult(b.getContext(), shape));
  lengths.back() = b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, lengths, strides);
}

/// The part of an operand for the current batch indices, without the dimensions of the batch.
Value AttentionLoops::slice(Value tensor, AffineMap map, ArrayRef<Part> parts) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets, lengths, strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank()) {
      offsets.push_back(batch[dimension]);
      lengths.push_back(b.getIndexAttr(1));
      continue;
    }
    auto part = llvm::find_if(parts, [&](const Part &p) { return p.dimension == dimension; });
    offsets.push_back(part->offset);
    lengths.push_back(b.getIndexAttr(part->size));
    shape.push_back(part->size);
  }
  auto small = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExtractSliceOp::create(b, loc, small, tensor, offsets, lengths, strides);
}

/// How a slice is indexed in a space of three dimensions, by pairs of an operand's dimension and
/// one of the space.
AffineMap AttentionLoops::localMap(AffineMap map, ArrayRef<std::pair<unsigned, unsigned>> dims) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    for (auto [from, to] : dims)
      if (cast<AffineDimExpr>(result).getPosition() == from)
        results.push_back(b.getAffineDimExpr(to));
  return AffineMap::get(3, 0, results, b.getContext());
}

/// [rows, k] times [k, columns], with an empty epilogue.
tpp::GemmOp AttentionLoops::product(Value a, AffineMap aMap, Value right, ValueRange extras,
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
Value AttentionLoops::extraTile(Value extra, AffineMap map, const Queries &queries,
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

/// score(K * Q) as [keys, whole vectors of queries].
Value AttentionLoops::scores(const Queries &queries, const Keys &keys) {
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

/// The sum of rows of V with `powers` as weights: with `sums`, added to them; with `inverse`,
/// multiplied with it at the end. Written to `init`.
Value AttentionLoops::weighted(Value powers, const Queries &queries, const Keys &keys, Value init,
                               Value inverse, bool accumulate) {
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

/// Rows of `values` times one factor each, written to `init` (null: in place).
Value AttentionLoops::scaled(Value values, Value factors, Value init) {
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

std::optional<AttentionVectors::Causal> AttentionLoops::causal(const Queries &queries,
                                                               const Keys &keys) {
  if (!keys.masked)
    return std::nullopt;
  Value last = b.createOrFold<arith::AddIOp>(loc, queries.first, vectors.index(*op.getCausal()));
  return AttentionVectors::Causal{keys.first, last};
}

Value AttentionLoops::inOneBlock(const Queries &queries, Value target) {
  Keys keys{vectors.index(0), n, op.getCausal().has_value()};
  AttentionVectors::Block part = vectors.powers(scores(queries, keys), causal(queries, keys), {});
  Value inverse = firstOf(vectors.reciprocals(part.state.sum), queries.count);
  return weighted(part.powers, queries, keys, target, inverse, /*accumulate=*/false);
}

Value AttentionLoops::inBlocks(const Queries &queries, Value target) {
  int64_t whole = n / keyBlock, rest = n % keyBlock;
  Keys first{vectors.index(0), keyBlock, op.getCausal().has_value()};
  AttentionVectors::Block begun =
      vectors.powers(scores(queries, first), causal(queries, first), {});
  Value none = empty({queries.count, e});
  Values carried{weighted(begun.powers, queries, first, none, {}, /*accumulate=*/false),
                 begun.state.largest, begun.state.sum};
  auto step = [&](Keys keys, ValueRange old) {
    AttentionVectors::Block part = vectors.powers(scores(queries, keys), causal(queries, keys),
                                                  AttentionVectors::State{old[1], old[2]});
    Value sums = scaled(old[0], firstOf(part.factor, queries.count), {});
    return Values{weighted(part.powers, queries, keys, sums, {}, /*accumulate=*/true),
                  part.state.largest, part.state.sum};
  };
  auto overKeys = [&](Value from, Value to, bool masked) {
    carried = vectors.loop(from, to, 1, carried, [&](Value i, ValueRange old) {
      Value start = b.createOrFold<arith::MulIOp>(loc, i, vectors.index(keyBlock));
      return step({start, keyBlock, masked}, old);
    });
  };
  auto tail = [&](ValueRange old) {
    return step({vectors.index(whole * keyBlock), rest, op.getCausal().has_value()}, old);
  };
  if (!op.getCausal()) {
    overKeys(vectors.index(1), vectors.index(whole), false);
    if (rest > 0)
      carried = tail(carried);
  } else {
    // Blocks that all queries see, then those that some of them do.
    AffineExpr query = b.getAffineDimExpr(0);
    int64_t own = *op.getCausal() + 1, others = own + queries.count - 1;
    auto bound = [&](AffineExpr count, int64_t most) {
      AffineMap map = AffineMap::get(1, 0, {count, b.getAffineConstantExpr(most)}, b.getContext());
      return affine::AffineMinOp::create(b, loc, map, queries.first).getResult();
    };
    Value all = bound((query + own).floorDiv(keyBlock), whole);
    Value one = vectors.index(1);
    all = arith::MaxSIOp::create(b, loc, all, one);
    overKeys(one, all, false);
    overKeys(all, bound((query + others).ceilDiv(keyBlock), whole), true);
    // One step, or none where not even the last query sees a key.
    if (rest > 0)
      carried =
          vectors.loop(vectors.index(0), bound((query + others).floorDiv(whole * keyBlock + 1), 1),
                       1, carried, [&](Value, ValueRange old) { return tail(old); });
  }
  return scaled(carried[0], firstOf(vectors.reciprocals(carried[2]), queries.count), target);
}

/// The results of `count` queries from `row` of the task's on.
Value AttentionLoops::block(Value tile, Value row, int64_t count) {
  Queries queries{b.createOrFold<arith::AddIOp>(loc, start.back(), row), count, {}};
  Value part = slice(op.getQ(), op.getQMap(),
                     {{op.dimM(), queries.first, count}, {op.dimD(), vectors.index(0), d}});
  queries.transposed = vectors.transpose(part, empty({d, padded(count)}));
  // The place in the tile, which begins where the task does.
  AffineMap map = op.getResultMap();
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<OpFoldResult> offsets, lengths, strides(type.getRank(), b.getIndexAttr(1));
  for (AffineExpr result : map.getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank())
      offsets.push_back(b.createOrFold<arith::SubIOp>(loc, batch[dimension], start[dimension]));
    else
      offsets.push_back(dimension == op.dimM() ? OpFoldResult(row) : b.getIndexAttr(0));
    lengths.push_back(b.getIndexAttr(dimension == op.dimM()   ? count
                                     : dimension == op.dimE() ? e
                                                              : 1));
  }
  auto small = RankedTensorType::get({count, e}, type.getElementType());
  Value place = tensor::ExtractSliceOp::create(b, loc, small, tile, offsets, lengths, strides);
  Value result = keyBlock == n ? inOneBlock(queries, place) : inBlocks(queries, place);
  return tensor::InsertSliceOp::create(b, loc, result, tile, offsets, lengths, strides);
}

Value AttentionLoops::overRows(Value tile) {
  int64_t count = m / tasks.back(), whole = count / rowBlock * rowBlock;
  tile = vectors.loop(0, whole, rowBlock, tile, [&](Value row, ValueRange old) {
    return Values{block(old[0], row, rowBlock)};
  })[0];
  return whole == count ? tile : block(tile, vectors.index(whole), count - whole);
}

Value AttentionLoops::overBatch(unsigned dimension, Value tile) {
  if (dimension == op.getBatchRank())
    return overRows(tile);
  int64_t count = sizes[dimension] / tasks[dimension];
  return vectors.loop(0, count, 1, tile, [&](Value i, ValueRange old) {
    batch[dimension] = b.createOrFold<arith::AddIOp>(loc, start[dimension], i);
    return Values{overBatch(dimension + 1, old[0])};
  })[0];
}

void AttentionLoops::run() {
  k = widened(op.getK());
  v = widened(op.getV());
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value init = emptyOf(type.getShape(), type.getElementType());
  auto forall = scf::ForallOp::create(b, loc, getAsIndexOpFoldResult(b.getContext(), tasks), init,
                                      std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<int64_t> partOf(sizes.size(), 0);
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    partOf[i] = sizes[i] / tasks[i];
    start.push_back(b.createOrFold<arith::MulIOp>(loc, iv, vectors.index(partOf[i])));
  }
  SmallVector<OpFoldResult> offsets, lengths, strides(type.getRank(), b.getIndexAttr(1));
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    bool isE = dimension == op.dimE();
    offsets.push_back(isE ? OpFoldResult(b.getIndexAttr(0)) : start[dimension]);
    lengths.push_back(b.getIndexAttr(isE ? e : partOf[dimension]));
  }
  Value out = forall.getRegionIterArgs()[0];
  Value tile = tensor::ExtractSliceOp::create(b, loc, out, offsets, lengths, strides);
  Value result = overBatch(0, tile);
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, out, offsets, lengths, strides);
  op.getResult().replaceAllUsesWith(forall.getResult(0));
  op.erase();
}

struct ExpandAttentionPass : impl::ExpandAttentionPassBase<ExpandAttentionPass> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<AttentionOp> found;
    getOperation().walk([&](AttentionOp op) { found.push_back(op); });
    for (AttentionOp op : found)
      AttentionLoops(op, target, taskWork).run();
  }
};

} // namespace
} // namespace kgen
