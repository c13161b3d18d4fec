// kgen.attention as loops over blocks of queries and keys.
#include "dialect/kgen/TensorSlice.h"
#include "transforms/Passes.h"
#include "transforms/attention/AttentionGemms.h"
#include "transforms/attention/AttentionPlan.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DECOMPOSEATTENTIONPASS
#include "transforms/Passes.h.inc"

namespace {

using Values = OnlineSoftmax::Values;
using Queries = AttentionGemms::Queries;
using Keys = AttentionGemms::Keys;

/// Writes the loops for one operation: over tasks, batches, blocks of queries, blocks of keys.
class AttentionLoops {
public:
  AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork)
      : op(op), b(op), loc(op.getLoc()), plan(op, target, taskWork), scale(op),
        vectors(b, loc, op.getAccumulatorType(), target, scale.areExponents),
        products(b, op, target, scale, vectors) {}

  void run();

private:
  Value overBatch(unsigned dimension, Value tile);
  Value overRows(Value tile);
  Value block(Value tile, Value row, int64_t count);
  OnlineSoftmax::Maxima scores(const Queries &queries, const Keys &keys);
  Value inOneBlock(const Queries &queries, Value target);
  Values addKeys(const Queries &queries, const Keys &keys, ValueRange before);
  Value inBlocks(const Queries &queries, Value target);
  std::optional<OnlineSoftmax::Causal> causal(const Queries &queries, const Keys &keys);

  AttentionOp op;
  OpBuilder b;
  Location loc;
  AttentionPlan plan;
  ScoreScale scale;
  OnlineSoftmax vectors;
  AttentionGemms products;
  SmallVector<Value> start; ///< of a task's part of each dimension of the batch, and of m
};

std::optional<OnlineSoftmax::Causal> AttentionLoops::causal(const Queries &queries,
                                                            const Keys &keys) {
  if (!keys.masked)
    return std::nullopt;
  Value last = b.createOrFold<arith::AddIOp>(loc, queries.first, vectors.index(*op.getCausal()));
  return OnlineSoftmax::Causal{keys.first, last};
}

OnlineSoftmax::Maxima AttentionLoops::scores(const Queries &queries, const Keys &keys) {
  return vectors.maxima(products.scores(queries, keys), causal(queries, keys));
}

Value AttentionLoops::inOneBlock(const Queries &queries, Value target) {
  Keys keys{vectors.index(0), plan.n, op.getCausal().has_value()};
  OnlineSoftmax::Maxima found = scores(queries, keys);
  auto [powers, sum] = products.powers(found.scores, found.largest, {});
  return products.average(powers, queries, keys, sum, target);
}

/// The weighted sums of a block of keys are added to those before, which are seldom scaled: only
/// where a score has grown so much that powers might overflow.
Values AttentionLoops::addKeys(const Queries &queries, const Keys &keys, ValueRange before) {
  OnlineSoftmax::Maxima found = scores(queries, keys);
  auto rescale = [&](Value, ValueRange old) {
    auto [base, sum, factor] = vectors.rebase(found.largest, old[1], old[2]);
    return Values{products.scaled(old[0], queries, factor), base, sum};
  };
  Values carried =
      vectors.loop(vectors.index(0), vectors.exceeds(found.largest, before[1]), 1, before, rescale);
  auto [powers, sum] = products.powers(found.scores, carried[1], carried[2]);
  return {products.weighted(powers, queries, keys, carried[0]), carried[1], sum};
}

Value AttentionLoops::inBlocks(const Queries &queries, Value target) {
  int64_t whole = plan.n / plan.keyBlock, rest = plan.n % plan.keyBlock;
  Keys first{vectors.index(0), plan.keyBlock, op.getCausal().has_value()};
  OnlineSoftmax::Maxima found = scores(queries, first);
  auto [powers, sum] = products.powers(found.scores, found.largest, {});
  Values carried{products.weighted(powers, queries, first, {}), found.largest, sum};
  auto overKeys = [&](Value from, Value to, bool masked) {
    carried = vectors.loop(from, to, 1, carried, [&](Value i, ValueRange old) {
      Value start = b.createOrFold<arith::MulIOp>(loc, i, vectors.index(plan.keyBlock));
      return addKeys(queries, {start, plan.keyBlock, masked}, old);
    });
  };
  auto tail = [&](ValueRange old) {
    return addKeys(queries,
                   {vectors.index(whole * plan.keyBlock), rest, op.getCausal().has_value()}, old);
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
    Value all = bound((query + own).floorDiv(plan.keyBlock), whole);
    Value one = vectors.index(1);
    all = arith::MaxSIOp::create(b, loc, all, one);
    overKeys(one, all, false);
    overKeys(all, bound((query + others).ceilDiv(plan.keyBlock), whole), true);
    // One step, or none where not even the last query sees a key.
    if (rest > 0)
      carried = vectors.loop(vectors.index(0),
                             bound((query + others).floorDiv(whole * plan.keyBlock + 1), 1), 1,
                             carried, [&](Value, ValueRange old) { return tail(old); });
  }
  return products.divided(carried[0], queries, carried[2], target);
}

/// The results of `count` queries from `row` of the task's on.
Value AttentionLoops::block(Value tile, Value row, int64_t count) {
  Queries queries = products.block(b.createOrFold<arith::AddIOp>(loc, start.back(), row), count);
  // The place in the tile, which begins where the task does.
  TensorSlice box;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank())
      box.offsets.push_back(
          b.createOrFold<arith::SubIOp>(loc, products.batch[dimension], start[dimension]));
    else
      box.offsets.push_back(dimension == op.dimM() ? OpFoldResult(row) : b.getIndexAttr(0));
    box.sizes.push_back(b.getIndexAttr(dimension == op.dimM()   ? count
                                       : dimension == op.dimE() ? plan.e
                                                                : 1));
  }
  Value place = extract(b, loc, tile, box, {count, plan.e});
  Value result = plan.keyBlock == plan.n ? inOneBlock(queries, place) : inBlocks(queries, place);
  return insert(b, loc, result, tile, box);
}

Value AttentionLoops::overRows(Value tile) {
  int64_t count = plan.m / plan.tasks.back(), whole = count / plan.rowBlock * plan.rowBlock;
  tile = vectors.loop(0, whole, plan.rowBlock, tile, [&](Value row, ValueRange old) {
    return Values{block(old[0], row, plan.rowBlock)};
  })[0];
  return whole == count ? tile : block(tile, vectors.index(whole), count - whole);
}

Value AttentionLoops::overBatch(unsigned dimension, Value tile) {
  if (dimension == op.getBatchRank())
    return overRows(tile);
  int64_t count = plan.sizes[dimension] / plan.tasks[dimension];
  return vectors.loop(0, count, 1, tile, [&](Value i, ValueRange old) {
    products.batch[dimension] = b.createOrFold<arith::AddIOp>(loc, start[dimension], i);
    return Values{overBatch(dimension + 1, old[0])};
  })[0];
}

void AttentionLoops::run() {
  products.prepare();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto forall = scf::ForallOp::create(b, loc, getAsIndexOpFoldResult(b.getContext(), plan.tasks),
                                      init, std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<int64_t> partOf(plan.sizes.size(), 0);
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    partOf[i] = plan.sizes[i] / plan.tasks[i];
    start.push_back(b.createOrFold<arith::MulIOp>(loc, iv, vectors.index(partOf[i])));
  }
  TensorSlice box;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    bool isE = dimension == op.dimE();
    box.offsets.push_back(isE ? OpFoldResult(b.getIndexAttr(0)) : start[dimension]);
    box.sizes.push_back(b.getIndexAttr(isE ? plan.e : partOf[dimension]));
  }
  Value out = forall.getRegionIterArgs()[0];
  Value result = overBatch(0, extract(b, loc, out, box));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, out, box.offsets, box.sizes,
                                        box.strides(b));
  op.getResult().replaceAllUsesWith(forall.getResult(0));
  op.erase();
}

struct DecomposeAttentionPass : impl::DecomposeAttentionPassBase<DecomposeAttentionPass> {
  using DecomposeAttentionPassBase::DecomposeAttentionPassBase;

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
