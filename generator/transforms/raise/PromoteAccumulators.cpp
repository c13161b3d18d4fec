// Accumulator promotion in the reference: sums of f32 are accumulated in f64 and rounded once.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/raise/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROMOTEACCUMULATORSPASS
#include "transforms/raise/Passes.h.inc"

namespace {

/// The addition of the last term of a body's result, if that is an f32 sum; or null.
arith::AddFOp lastAddition(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0 ||
      !op.getRegionOutputArgs().front().getType().isF32())
    return nullptr;
  return op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
}

/// True if `add` is all that happens to the sum so far: its accumulator can have another type.
bool isAccumulation(linalg::GenericOp op, arith::AddFOp add) {
  BlockArgument sum = op.getRegionOutputArgs().front();
  bool hasOneSum = (add.getLhs() == sum) != (add.getRhs() == sum);
  return hasOneSum && sum.hasOneUse() && add->hasOneUse();
}

/// A tensor of the same shape whose elements `Op` converts to the type `element`.
template <typename Op>
Value convertElements(OpBuilder &b, Location loc, Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType()).clone(element);
  int64_t rank = type.getRank();
  Value empty = emptyLike(b, loc, tensor, element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, tensor, empty, maps, loops,
                                   [&](OpBuilder &inner, Location where, ValueRange v) {
                                     Value converted = Op::create(inner, where, element, v[0]);
                                     linalg::YieldOp::create(inner, where, converted);
                                   })
      .getResult(0);
}

void promote(IRRewriter &rewriter, linalg::GenericOp op, arith::AddFOp add) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type f64 = rewriter.getF64Type();
  Value init = convertElements<arith::ExtFOp>(rewriter, loc, op.getDpsInits()[0], f64);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), op.getDpsInputs(), init, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(), [&](OpBuilder &b, Location where, ValueRange arguments) {
        IRMapping values;
        values.map(op.getBody()->getArguments(), arguments);
        for (Operation &inner : op.getBody()->without_terminator())
          if (&inner != add)
            b.clone(inner, values);
        Value term = add.getLhs() == op.getRegionOutputArgs().front() ? add.getRhs() : add.getLhs();
        Value extended = arith::ExtFOp::create(b, where, f64, values.lookupOrDefault(term));
        Value next = arith::AddFOp::create(b, where, arguments.back(), extended);
        linalg::YieldOp::create(b, where, next);
      });
  rewriter.replaceOp(
      op, convertElements<arith::TruncFOp>(rewriter, loc, sum.getResult(0), rewriter.getF32Type()));
}

struct PromoteAccumulatorsPass : impl::PromoteAccumulatorsPassBase<PromoteAccumulatorsPass> {
  using PromoteAccumulatorsPassBase::PromoteAccumulatorsPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<linalg::GenericOp, arith::AddFOp>> sums;
    getOperation().walk([&](linalg::GenericOp op) {
      if (arith::AddFOp add = lastAddition(op))
        sums.emplace_back(op, add);
    });
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    for (auto [op, add] : sums)
      if (isAccumulation(op, add)) {
        log.add("applied", op.getLoc(), log.details().set("what", "accumulated in f64"));
        ++numPromoted;
        promote(rewriter, op, add);
      } else {
        log.add("refused", op.getLoc(), log.details().set("why", "more than a sum of its terms"));
        ++numRefused;
      }
  }
};

} // namespace
} // namespace kgen
