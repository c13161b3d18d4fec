// kgen.attention as loops over blocks of queries and keys.
#include "dialect/kgen/Decisions.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/AttentionVectors.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/IRMapping.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "transforms/Passes.h.inc"

namespace {

using utils::IteratorType;
using Values = AttentionVectors::Values;

/// Writes the loops for one operation. Scores are computed as [keys, queries]: K is read in place as
/// the left operand, a block of Q is transposed once, and a lane of a vector is a query throughout.
class AttentionLoops {
public:
  AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork);

  void run();
  Details describe(Details details);

private:
  /// A range of a dimension.
  struct Part {
    unsigned dimension;
    Value offset;
    int64_t size;
  };
  /// What a block of queries works with.
  struct Queries {
    Value first;      ///< of the block, among all
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
  Value filled(ArrayRef<int64_t> shape, double value);
  int64_t padded(int64_t count) { return llvm::alignTo(count, lanes); }
  tpp::GemmOp product(Value a, AffineMap aMap, Value right, ValueRange extras,
                      ArrayRef<AffineMap> extraMaps, Value init, bool accumulate);
  Value extraTile(Value extra, AffineMap map, const Queries &queries, const Keys &keys,
                  AffineMap &local);
  Value scores(const Queries &queries, const Keys &keys);
  Value weighted(Value powers, const Queries &queries, const Keys &keys, Value sums,
                 Value inverse);
  Value rows(Value values, Value factors, Value init);
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
  int64_t m, n, d, e;          ///< sizes
  int64_t rowBlock, keyBlock;  ///< queries and keys of a block
  SmallVector<int64_t> tasks;  ///< parts of each dimension of the batch, and of m
  SmallVector<Value> start;    ///< of a task's part, the same
  SmallVector<Value> batch;    ///< the current indices
  Value k, v;                  ///< in the type of sums
};

AttentionLoops::AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork)
    : op(op), target(target), b(op), loc(op.getLoc()), sizes(op.getIterationSizes()),
      element(op.getAccumulatorType()), lanes(target.lanes(element)),
      vectors(b, loc, element, lanes), m(sizes[op.dimM()]), n(sizes[op.dimN()]),
      d(sizes[op.dimD()]), e(sizes[op.dimE()]), batch(op.getBatchRank()) {
  chooseBlocks();
  chooseTasks(taskWork);
}

/// Blocks of queries: as many as make a few register tiles in both products. All keys are one block
/// if their scores fit half of the second cache's half; otherwise a block of scores stays in the
/// first one, beside the queries.
void AttentionLoops::chooseBlocks() {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  rowBlock = std::min(m, target.block("attention", "rows", 64));
  int64_t one = target.block("attention", "one", 256);
  keyBlock = target.block("attention", "keys", 128);
  (void)bytes;
  if (n <= one) {
    keyBlock = n;
    return;
  }
  int64_t blocks = llvm::divideCeil(n, keyBlock);
  keyBlock = llvm::divideCeil(n, blocks);
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

Details AttentionLoops::describe(Details details) {
  int64_t count = std::accumulate(tasks.begin(), tasks.end(), int64_t(1), std::multiplies<>());
  return details.set("queries", rowBlock).set("keys", keyBlock).set("tasks", count);
}

Value AttentionLoops::widened(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  Value init = emptyOf(type.getShape(), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), value, init, maps, iterators,
             [&](OpBuilder &inner, Location where, ValueRange in) {
               Value wide = arith::ExtFOp::create(inner, where, element, in[0]);
               linalg::YieldOp::create(inner, where, wide);
             })
      .getResult(0);
}

Value AttentionLoops::filled(ArrayRef<int64_t> shape, double value) {
  Value number = arith::ConstantOp::create(b, loc, b.getFloatAttr(element, value));
  return linalg::FillOp::create(b, loc, number, empty(shape)).getResult(0);
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
  return tpp::GemmOp::create(
      b, loc, init.getType(), a, right, extras, init, aMap,
      AffineMap::get(3, 0, {depth, column}, b.getContext()), b.getAffineMapArrayAttr(extraMaps),
      IntegerAttr(), /*vnni=*/1, accumulate, /*sequential=*/false, /*a_unsigned=*/false,
      /*b_unsigned=*/false, BlocksAttr(), DenseI64ArrayAttr());
}

/// An extra as the product of keys and queries can read it: where it differs from query to query,
/// with queries in rows that are as long as those of the scores.
Value AttentionLoops::extraTile(Value extra, AffineMap map, const Queries &queries,
                                const Keys &keys, AffineMap &local) {
  unsigned dimM = op.dimM(), dimN = op.dimN();
  Value part = slice(extra, map,
                     {{dimM, queries.first, queries.count}, {dimN, keys.first, keys.count}});
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
  Value part = slice(k, op.getKMap(), {{dimN, keys.first, keys.count}, {dimD, vectors.index(0), d}});
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  for (auto [extra, map] :
       llvm::zip(op.getExtras(), op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    AffineMap local;
    extras.push_back(extraTile(extra, map, queries, keys, local));
    maps.push_back(local);
  }
  tpp::GemmOp gemm =
      product(part, localMap(op.getKMap(), {{dimN, 0}, {dimD, 2}}), queries.transposed, extras, maps,
              empty({keys.count, padded(queries.count)}), /*accumulate=*/false);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types{element};
  for (Value extra : extras)
    types.push_back(getElementTypeOrSelf(extra.getType()));
  Block *body = b.createBlock(&gemm.getEpilogue(), {}, types,
                              SmallVector<Location>(types.size(), loc));
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

/// The sum of rows of V with `powers` as weights, added to `sums`; or, with `inverse`, multiplied
/// with it and written over `sums`.
Value AttentionLoops::weighted(Value powers, const Queries &queries, const Keys &keys, Value sums,
                               Value inverse) {
  auto place = [&](int64_t size) { return Part{0, vectors.index(0), size}; };
  (void)place;
  Value part = slice(v, op.getVMap(),
                     {{op.dimN(), keys.first, keys.count}, {op.dimE(), vectors.index(0), e}});
  Value used = powers;
  if (queries.count != padded(queries.count)) {
    SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)), strides(2, b.getIndexAttr(1)),
        lengths{b.getIndexAttr(keys.count), b.getIndexAttr(queries.count)};
    used = tensor::ExtractSliceOp::create(b, loc, powers, offsets, lengths, strides);
  }
  SmallVector<Value> extras;
  SmallVector<AffineMap> maps;
  if (inverse) {
    SmallVector<OpFoldResult> offsets(1, b.getIndexAttr(0)), strides(1, b.getIndexAttr(1)),
        lengths{b.getIndexAttr(queries.count)};
    extras.push_back(tensor::ExtractSliceOp::create(b, loc, inverse, offsets, lengths, strides));
    maps.push_back(AffineMap::get(2, 0, b.getAffineDimExpr(0), b.getContext()));
  }
  AffineExpr row = b.getAffineDimExpr(0), depth = b.getAffineDimExpr(2);
  tpp::GemmOp gemm = product(used, AffineMap::get(3, 0, {depth, row}, b.getContext()), part, extras,
                             maps, sums, /*accumulate=*/!inverse);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(1 + extras.size(), element);
  Block *body = b.createBlock(&gemm.getEpilogue(), {}, types,
                              SmallVector<Location>(types.size(), loc));
  Value result = body->getArgument(0);
  if (inverse)
    result = arith::MulFOp::create(b, loc, result, body->getArgument(1));
  if (Type stored = getElementTypeOrSelf(sums.getType()); stored != element)
    result = arith::TruncFOp::create(b, loc, stored, result);
  tpp::YieldOp::create(b, loc, result);
  return gemm.getResult(0);
}

/// Rows of `values` times one factor each, written to `init` (null: in place).
Value AttentionLoops::rows(Value values, Value factors, Value init) {
  AffineExpr row, column;
  bindDims(b.getContext(), row, column);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(2, 0, results, b.getContext());
  };
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location where, ValueRange in) {
    Value scaled = arith::MulFOp::create(inner, where, in[in.size() == 3 ? 0 : 1], in[in.size() == 3]);
    scaled = arith::MulFOp::create(inner, where, in[0], in[1]);
    if (in.back().getType() != element)
      scaled = arith::TruncFOp::create(inner, where, in.back().getType(), scaled);
    linalg::YieldOp::create(inner, where, scaled);
  };
  if (!init)
    return linalg::GenericOp::create(b, loc, values.getType(), factors, values,
                                     ArrayRef{map(row), map({row, column})}, iterators, body)
        .getResult(0);
  return linalg::GenericOp::create(b, loc, init.getType(), ValueRange{values, factors}, init,
                                   ArrayRef{map({row, column}), map(row), map({row, column})},
                                   iterators, body)
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
  auto [powers, inverse] = vectors.powers(scores(queries, keys), causal(queries, keys));
  return weighted(powers, queries, keys, target, inverse);
}

Value AttentionLoops::inBlocks(const Queries &queries, Value target) {
  int64_t columns = padded(queries.count), whole = n / keyBlock, rest = n % keyBlock;
  Values carried{filled({queries.count, e}, 0),
                 filled({columns}, -std::numeric_limits<double>::infinity()), filled({columns}, 0)};
  auto step = [&](Keys keys, ValueRange old) {
    AttentionVectors::Block part = vectors.powers(scores(queries, keys), causal(queries, keys),
                                                  {old[1], old[2]}, empty({columns}));
    SmallVector<OpFoldResult> offsets(1, b.getIndexAttr(0)), strides(1, b.getIndexAttr(1)),
        lengths{b.getIndexAttr(queries.count)};
    Value factor = tensor::ExtractSliceOp::create(b, loc, part.factor, offsets, lengths, strides);
    Value sums = weighted(part.powers, queries, keys, rows(old[0], factor, {}), {});
    return Values{sums, part.state.largest, part.state.sum};
  };
  auto overKeys = [&](Value from, Value to, bool masked) {
    carried = vectors.loop(from, to, 1, carried, [&](Value i, ValueRange old) {
      Value first = b.createOrFold<arith::MulIOp>(loc, i, vectors.index(keyBlock));
      return step({first, keyBlock, masked}, old);
    });
  };
  if (!op.getCausal()) {
    overKeys(vectors.index(0), vectors.index(whole), false);
    if (rest > 0)
      carried = step({vectors.index(whole * keyBlock), rest, false}, carried);
  } else {
    // Blocks that all queries see, and blocks that some of them do.
    AffineExpr first = b.getAffineDimExpr(0);
    int64_t c = *op.getCausal();
    auto bound = [&](AffineExpr blocks, int64_t most) {
      AffineMap map = AffineMap::get(1, 0, {blocks, b.getAffineConstantExpr(most)}, b.getContext());
      return affine::AffineMinOp::create(b, loc, map, queries.first).getResult();
    };
    Value all = bound((first + (c + 1)).floorDiv(keyBlock), whole);
    Value some = bound((first + (c + queries.count)).ceilDiv(keyBlock), whole);
    overKeys(vectors.index(0), all, false);
    overKeys(all, some, true);
    if (rest > 0) {
      // One step or none: whether the last query sees the first key.
      Value one = bound((first + (c + queries.count)).floorDiv(whole * keyBlock + 1), 1);
      carried = vectors.loop(vectors.index(0), one, 1, carried, [&](Value, ValueRange old) {
        return step({vectors.index(whole * keyBlock), rest, true}, old);
      });
    }
  }
  SmallVector<OpFoldResult> offsets(1, b.getIndexAttr(0)), strides(1, b.getIndexAttr(1)),
      lengths{b.getIndexAttr(queries.count)};
  Value inverse = tensor::ExtractSliceOp::create(b, loc, vectors.reciprocals(carried[2]), offsets,
                                                 lengths, strides);
  return rows(carried[0], inverse, target);
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
    lengths.push_back(b.getIndexAttr(dimension == op.dimM() ? count : dimension == op.dimE() ? e : 1));
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
    DecisionLog log(getOperation(), getArgument());
    SmallVector<AttentionOp> found;
    getOperation().walk([&](AttentionOp op) { found.push_back(op); });
    for (AttentionOp op : found) {
      AttentionLoops loops(op, target, taskWork);
      log.add("attention", op.getLoc(), loops.describe(log.details()));
      loops.run();
    }
  }
};

} // namespace
} // namespace kgen
