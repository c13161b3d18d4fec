// kgen.attention as loops over blocks of queries and keys.
#include "dialect/kgen/DecisionLog.h"
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
using QueryBlock = AttentionGemms::QueryBlock;
using KeyBlock = AttentionGemms::KeyBlock;

/// Builds the loops of one operation: over tasks, batch dimensions, query blocks, key blocks.
class AttentionLoops {
public:
  AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork)
      : op(op), b(op), loc(op.getLoc()), plan(op, target, taskWork), scale(op),
        softmax(b, loc, op.getAccumulatorType(), target, scale.areExponents),
        gemms(b, op, target, scale, softmax) {}

  void run();
  const AttentionPlan &blocks() const { return plan; }

private:
  Value overBatch(unsigned dimension, Value tile);
  Value overRows(Value tile);
  Value block(Value tile, Value row, int64_t count);
  OnlineSoftmax::Maxima scores(const QueryBlock &queries, const KeyBlock &keys);
  Value inOneBlock(const QueryBlock &queries, Value target);
  Values addKeys(const QueryBlock &queries, const KeyBlock &keys, ValueRange before);
  Value inBlocks(const QueryBlock &queries, Value target);
  std::optional<OnlineSoftmax::Causal> causal(const QueryBlock &queries, const KeyBlock &keys);

  AttentionOp op;
  OpBuilder b;
  Location loc;
  AttentionPlan plan;
  ScoreScale scale;
  OnlineSoftmax softmax;
  AttentionGemms gemms;
  SmallVector<Value> start; ///< first index of the task along each batch dimension and along m
};

std::optional<OnlineSoftmax::Causal> AttentionLoops::causal(const QueryBlock &queries,
                                                            const KeyBlock &keys) {
  if (!keys.masked)
    return std::nullopt;
  Value last = b.createOrFold<arith::AddIOp>(loc, queries.first, softmax.index(*op.getCausal()));
  return OnlineSoftmax::Causal{keys.first, last};
}

OnlineSoftmax::Maxima AttentionLoops::scores(const QueryBlock &queries, const KeyBlock &keys) {
  return softmax.maxima(gemms.scores(queries, keys), causal(queries, keys));
}

Value AttentionLoops::inOneBlock(const QueryBlock &queries, Value target) {
  KeyBlock keys{softmax.index(0), plan.n, op.getCausal().has_value()};
  OnlineSoftmax::Maxima found = scores(queries, keys);
  auto [probabilities, sum] = gemms.probabilities(found.scores, found.max, {});
  return gemms.weightedAverage(probabilities, queries, keys, sum, target);
}

/// Adds the weighted sums of a block of keys to `before` (weighted sums, running maxima, sums of
/// probabilities). These are rescaled only if needsRescale says so, which is rare: a loop of at
/// most one iteration.
Values AttentionLoops::addKeys(const QueryBlock &queries, const KeyBlock &keys, ValueRange before) {
  OnlineSoftmax::Maxima found = scores(queries, keys);
  auto rescale = [&](Value, ValueRange old) {
    auto [runningMax, sum, factor] = softmax.rescale(found.max, old[1], old[2]);
    return Values{gemms.rescaled(old[0], queries, factor), runningMax, sum};
  };
  Values carried = softmax.loop(softmax.index(0), softmax.needsRescale(found.max, before[1]), 1,
                                before, rescale);
  auto [probabilities, sum] = gemms.probabilities(found.scores, carried[1], carried[2]);
  return {gemms.weightedSums(probabilities, queries, keys, carried[0]), carried[1], sum};
}

Value AttentionLoops::inBlocks(const QueryBlock &queries, Value target) {
  int64_t whole = plan.n / plan.keyBlock, rest = plan.n % plan.keyBlock;
  KeyBlock first{softmax.index(0), plan.keyBlock, op.getCausal().has_value()};
  OnlineSoftmax::Maxima found = scores(queries, first);
  auto [probabilities, sum] = gemms.probabilities(found.scores, found.max, {});
  Values carried{gemms.weightedSums(probabilities, queries, first, {}), found.max, sum};
  auto overKeys = [&](Value from, Value to, bool masked) {
    carried = softmax.loop(from, to, 1, carried, [&](Value i, ValueRange old) {
      Value start = b.createOrFold<arith::MulIOp>(loc, i, softmax.index(plan.keyBlock));
      return addKeys(queries, {start, plan.keyBlock, masked}, old);
    });
  };
  auto addRemainder = [&](ValueRange old) {
    return addKeys(queries,
                   {softmax.index(whole * plan.keyBlock), rest, op.getCausal().has_value()}, old);
  };
  if (!op.getCausal()) {
    overKeys(softmax.index(1), softmax.index(whole), false);
    if (rest > 0)
      carried = addRemainder(carried);
  } else {
    // First the key blocks that all queries of the block see, then those that only some of them
    // see.
    AffineExpr query = b.getAffineDimExpr(0);
    int64_t firstSees = *op.getCausal() + 1, lastSees = firstSees + queries.count - 1; // keys
    auto bound = [&](AffineExpr count, int64_t limit) {
      AffineMap map = AffineMap::get(1, 0, {count, b.getAffineConstantExpr(limit)}, b.getContext());
      return affine::AffineMinOp::create(b, loc, map, queries.first).getResult();
    };
    Value unmasked = bound((query + firstSees).floorDiv(plan.keyBlock), whole);
    Value one = softmax.index(1);
    unmasked = arith::MaxSIOp::create(b, loc, unmasked, one);
    overKeys(one, unmasked, false);
    overKeys(unmasked, bound((query + lastSees).ceilDiv(plan.keyBlock), whole), true);
    // One iteration, or none if not even the last query sees a key of the remainder.
    if (rest > 0)
      carried = softmax.loop(softmax.index(0),
                             bound((query + lastSees).floorDiv(whole * plan.keyBlock + 1), 1), 1,
                             carried, [&](Value, ValueRange old) { return addRemainder(old); });
  }
  return gemms.normalized(carried[0], queries, carried[2], target);
}

/// Computes `count` queries, `row` being the first of them within the task.
Value AttentionLoops::block(Value tile, Value row, int64_t count) {
  QueryBlock queries =
      gemms.queryBlock(b.createOrFold<arith::AddIOp>(loc, start.back(), row), count);
  // Offsets in `tile`, which begins at the first index of the task.
  TensorSlice slice;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank())
      slice.offsets.push_back(
          b.createOrFold<arith::SubIOp>(loc, gemms.batch[dimension], start[dimension]));
    else
      slice.offsets.push_back(dimension == op.dimM() ? OpFoldResult(row) : b.getIndexAttr(0));
    slice.sizes.push_back(b.getIndexAttr(dimension == op.dimM()   ? count
                                         : dimension == op.dimE() ? plan.e
                                                                  : 1));
  }
  Value destination = extract(b, loc, tile, slice, {count, plan.e});
  Value result =
      plan.keyBlock == plan.n ? inOneBlock(queries, destination) : inBlocks(queries, destination);
  return insert(b, loc, result, tile, slice);
}

Value AttentionLoops::overRows(Value tile) {
  int64_t count = plan.m / plan.tasks.back(), whole = count / plan.queryBlock * plan.queryBlock;
  tile = softmax.loop(0, whole, plan.queryBlock, tile, [&](Value row, ValueRange old) {
    return Values{block(old[0], row, plan.queryBlock)};
  })[0];
  return whole == count ? tile : block(tile, softmax.index(whole), count - whole);
}

Value AttentionLoops::overBatch(unsigned dimension, Value tile) {
  if (dimension == op.getBatchRank())
    return overRows(tile);
  int64_t count = plan.sizes[dimension] / plan.tasks[dimension];
  return softmax.loop(0, count, 1, tile, [&](Value i, ValueRange old) {
    gemms.batch[dimension] = b.createOrFold<arith::AddIOp>(loc, start[dimension], i);
    return Values{overBatch(dimension + 1, old[0])};
  })[0];
}

void AttentionLoops::run() {
  gemms.prepare();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Value init = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  auto forall = scf::ForallOp::create(b, loc, getAsIndexOpFoldResult(b.getContext(), plan.tasks),
                                      init, std::nullopt);
  b.setInsertionPointToStart(forall.getBody());
  SmallVector<int64_t> taskSizes(plan.sizes.size(), 0);
  for (auto [i, iv] : llvm::enumerate(forall.getInductionVars())) {
    taskSizes[i] = plan.sizes[i] / plan.tasks[i];
    start.push_back(b.createOrFold<arith::MulIOp>(loc, iv, softmax.index(taskSizes[i])));
  }
  TensorSlice slice;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    bool isE = dimension == op.dimE();
    slice.offsets.push_back(isE ? OpFoldResult(b.getIndexAttr(0)) : start[dimension]);
    slice.sizes.push_back(b.getIndexAttr(isE ? plan.e : taskSizes[dimension]));
  }
  Value out = forall.getRegionIterArgs()[0];
  Value result = overBatch(0, extract(b, loc, out, slice));
  b.setInsertionPointToStart(forall.getTerminator().getBody());
  tensor::ParallelInsertSliceOp::create(b, loc, result, out, slice.offsets, slice.sizes,
                                        slice.strides(b));
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
    DecisionLog log(getOperation(), getArgument());
    for (AttentionOp op : found) {
      AttentionLoops loops(op, target, taskWork);
      const AttentionPlan &plan = loops.blocks();
      ++numDecomposed;
      if (plan.keyBlock < plan.n)
        ++numOnline;
      std::string blocks = (Twine(plan.queryBlock) + " x " + Twine(plan.keyBlock)).str();
      log.add("applied", op.getLoc(),
              log.details().set("what", "blocks of queries x keys: " + blocks));
      loops.run();
    }
  }
};

} // namespace
} // namespace kgen
