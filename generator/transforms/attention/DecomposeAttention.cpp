// kgen.attention as loops over blocks of queries and keys.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/attention/AttentionGemms.h"
#include "transforms/attention/AttentionTasks.h"
#include "transforms/attention/FewQueries.h"
#include "transforms/attention/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/UB/IR/UBOps.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DECOMPOSEATTENTIONPASS
#include "transforms/attention/Passes.h.inc"

namespace {

using Values = OnlineSoftmax::Values;
using QueryBlock = AttentionGemms::QueryBlock;
using KeyBlock = AttentionGemms::KeyBlock;

/// Builds the loops of one operation: over tasks, batch dimensions, query blocks, key blocks.
class AttentionLoops {
public:
  AttentionLoops(AttentionOp op, TargetAttr target, int64_t taskWork)
      : op(op), b(op), loc(op.getLoc()), target(target), plan(op, target, taskWork),
        tasks(b, op, plan), scale(op),
        softmax(b, loc, op.getAccumulatorType(), target, scale.areExponents),
        gemms(b, op, target, scale, softmax) {}

  void run();
  const AttentionPlan &blocks() const { return plan; }

private:
  Value emitBatchLoop(unsigned dimension, Value tile);
  Value emitRowLoop(Value tile);
  Value block(Value tile, Value row, int64_t count, Value available);
  OnlineSoftmax::Maxima scores(const QueryBlock &queries, const KeyBlock &keys);
  Value inOneBlock(const QueryBlock &queries, Value target);
  Values addKeys(const QueryBlock &queries, const KeyBlock &keys, ValueRange before);
  Value inBlocks(const QueryBlock &queries, Value target);
  Value inBlocksOfDynamicKeys(const QueryBlock &queries, Value target);
  std::optional<OnlineSoftmax::Causal> causal(const QueryBlock &queries, const KeyBlock &keys);

  AttentionOp op;
  OpBuilder b;
  Location loc;
  TargetAttr target;
  AttentionPlan plan;
  AttentionTasks tasks;
  ScoreScale scale;
  OnlineSoftmax softmax;
  AttentionGemms gemms;
};

std::optional<OnlineSoftmax::Causal> AttentionLoops::causal(const QueryBlock &queries,
                                                            const KeyBlock &keys) {
  if (!keys.masked)
    return std::nullopt;
  Value last = b.createOrFold<arith::AddIOp>(loc, queries.first, softmax.index(*op.getCausal()));
  return OnlineSoftmax::Causal{keys.first, last};
}

OnlineSoftmax::Maxima AttentionLoops::scores(const QueryBlock &queries, const KeyBlock &keys) {
  Value scores = gemms.scores(queries, keys);
  if (keys.available)
    scores = softmax.hideRows(scores, keys.available);
  return softmax.maxima(scores, causal(queries, keys));
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
  auto emitKeyLoop = [&](Value from, Value to, bool masked) {
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
    emitKeyLoop(softmax.index(1), softmax.index(whole), false);
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
    emitKeyLoop(one, unmasked, false);
    emitKeyLoop(unmasked, bound((query + lastSees).ceilDiv(plan.keyBlock), whole), true);
    // One iteration, or none if not even the last query sees a key of the remainder.
    if (rest > 0)
      carried = softmax.loop(softmax.index(0),
                             bound((query + lastSees).floorDiv(whole * plan.keyBlock + 1), 1), 1,
                             carried, [&](Value, ValueRange old) { return addRemainder(old); });
  }
  return gemms.normalized(carried[0], queries, carried[2], target);
}

/// Computes the attention for a dynamic number of keys: whole blocks, smaller blocks, and one of
/// these that is padded. All start from no keys, so that there may be no whole block.
Value AttentionLoops::inBlocksOfDynamicKeys(const QueryBlock &queries, Value target) {
  OpFoldResult keys = tasks.values[op.dimN()];
  OpFoldResult whole = wholeSteps(b, loc, keys, plan.keyBlock),
               inSteps = wholeSteps(b, loc, keys, plan.keyStep);
  Value none = softmax.rowOfZeros(queries.transposed);
  Values carried{gemms.noSums(queries), softmax.minusInfRow(queries.transposed), none};
  auto emitKeyLoop = [&](OpFoldResult from, OpFoldResult to, int64_t count, bool masked,
                         bool isPadded) {
    carried = buildFor(b, loc, from, to, count, carried, [&](Value first, ValueRange old) {
      KeyBlock block{first, count, masked};
      if (isPadded)
        block.available = getValueOrCreateConstantIndexOp(b, loc, difference(b, loc, keys, first));
      return addKeys(queries, block, old);
    });
  };
  OpFoldResult first = b.getIndexAttr(0);
  bool isCausal = op.getCausal().has_value();
  if (isCausal) {
    // First the key blocks that all queries of the block see, then those that only some of them
    // see.
    AffineExpr query = b.getAffineDimExpr(0), limit = b.getAffineDimExpr(1);
    int64_t firstSees = *op.getCausal() + 1, lastSees = firstSees + queries.count - 1; // keys
    auto bound = [&](AffineExpr end) {
      AffineMap map = AffineMap::get(2, 0, {end * plan.keyBlock, limit}, b.getContext());
      return affine::makeComposedFoldedAffineMin(b, loc, map, {queries.first, whole});
    };
    Value allSee =
        getValueOrCreateConstantIndexOp(b, loc, bound((query + firstSees).floorDiv(plan.keyBlock)));
    OpFoldResult unmasked = arith::MaxSIOp::create(b, loc, allSee, softmax.index(0)).getResult();
    emitKeyLoop(first, unmasked, plan.keyBlock, false, false);
    emitKeyLoop(unmasked, bound((query + lastSees).ceilDiv(plan.keyBlock)), plan.keyBlock, true,
                false);
  } else {
    emitKeyLoop(first, whole, plan.keyBlock, false, false);
  }
  emitKeyLoop(whole, inSteps, plan.keyStep, isCausal, false);
  emitKeyLoop(inSteps, keys, plan.keyStep, isCausal, true);
  return gemms.normalized(carried[0], queries, carried[2], target);
}

/// Computes `count` queries, `row` being the first of them within the task; only the first
/// `available` ones if that is not null.
Value AttentionLoops::block(Value tile, Value row, int64_t count, Value available) {
  QueryBlock queries = gemms.queryBlock(b.createOrFold<arith::AddIOp>(loc, tasks.start.back(), row),
                                        count, available);
  // Offsets in `tile`, which begins at the first index of the task.
  TensorSlice slice;
  for (AffineExpr result : op.getResultMap().getResults()) {
    unsigned dimension = cast<AffineDimExpr>(result).getPosition();
    if (dimension < op.getBatchRank())
      slice.offsets.push_back(
          b.createOrFold<arith::SubIOp>(loc, gemms.batch[dimension], tasks.start[dimension]));
    else
      slice.offsets.push_back(dimension == op.dimM() ? OpFoldResult(row) : b.getIndexAttr(0));
    slice.sizes.push_back(b.getIndexAttr(dimension == op.dimM()   ? count
                                         : dimension == op.dimE() ? plan.e
                                                                  : 1));
    if (available && dimension == op.dimM())
      slice.sizes.back() = available;
  }
  Value destination = available ? emptyTensor(b, loc, ArrayRef<int64_t>{count, plan.e},
                                              getElementTypeOrSelf(tile.getType()))
                                : extract(b, loc, tile, slice, {count, plan.e});
  Value result = plan.sizes.isDynamic(op.dimN()) ? inBlocksOfDynamicKeys(queries, destination)
                 : plan.keyBlock == plan.n       ? inOneBlock(queries, destination)
                                                 : inBlocks(queries, destination);
  if (available)
    result = extract(b, loc, result,
                     TensorSlice({b.getIndexAttr(0), b.getIndexAttr(0)},
                                 {OpFoldResult(available), b.getIndexAttr(plan.e)}));
  return insert(b, loc, result, tile, slice);
}

Value AttentionLoops::emitRowLoop(Value tile) {
  OpFoldResult count = tasks.sizeInTask(op.dimM()), first = b.getIndexAttr(0),
               whole = wholeSteps(b, loc, count, plan.queryBlock);
  tile = buildFor(b, loc, first, whole, plan.queryBlock, tile,
                  [&](Value row, Value old) { return block(old, row, plan.queryBlock, {}); });
  if (std::optional<int64_t> number = getConstantIntValue(count)) {
    int64_t rest = *number % plan.queryBlock;
    return rest == 0 ? tile : block(tile, softmax.index(*number - rest), rest, {});
  }
  OpFoldResult inSteps = wholeSteps(b, loc, count, plan.queryStep);
  tile = buildFor(b, loc, whole, inSteps, plan.queryStep, tile,
                  [&](Value row, Value old) { return block(old, row, plan.queryStep, {}); });
  return buildFor(b, loc, inSteps, count, plan.queryStep, tile, [&](Value row, Value old) {
    OpFoldResult left = difference(b, loc, count, row);
    return block(old, row, plan.queryStep, getValueOrCreateConstantIndexOp(b, loc, left));
  });
}

Value AttentionLoops::emitBatchLoop(unsigned dimension, Value tile) {
  if (dimension == op.getBatchRank())
    return emitRowLoop(tile);
  return softmax.loop(0, plan.taskSizes[dimension], 1, tile, [&](Value i, ValueRange old) {
    gemms.batch[dimension] = b.createOrFold<arith::AddIOp>(loc, tasks.start[dimension], i);
    return Values{emitBatchLoop(dimension + 1, old[0])};
  })[0];
}

void AttentionLoops::run() {
  tasks.makeSizes();
  if (plan.hasFewQueries)
    return tasks.run([&](Value tile) {
      return FewQueries(b, op, target, plan, tasks, scale, softmax).run(tile);
    });
  gemms.prepare();
  tasks.run([&](Value tile) { return emitBatchLoop(0, tile); });
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
      if (!plan.sizes.areBounded()) {
        op.emitOpError("has a dynamic size without bounds, which kgen.size gives to an argument");
        return signalPassFailure();
      }
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
