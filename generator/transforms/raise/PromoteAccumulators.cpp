// Sums of f32 that are added up in f64: what the results of other orders are compared with.
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_PROMOTEACCUMULATORSPASS
#include "transforms/Passes.h.inc"

namespace {

/// The addition of a new term to an f32 result so far, if that is all that happens to it; or null.
arith::AddFOp accumulation(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return nullptr;
  BlockArgument sum = op.getRegionOutputArgs().front();
  auto add = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  bool isSum = add && (add.getLhs() == sum) != (add.getRhs() == sum);
  return isSum && sum.getType().isF32() && sum.hasOneUse() && add->hasOneUse() ? add : nullptr;
}

/// A tensor's elements in another type.
template <typename Op> Value convert(OpBuilder &b, Location loc, Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType()).clone(element);
  int64_t rank = type.getRank();
  Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, tensor, empty, maps, loops,
                                   [&](OpBuilder &inner, Location where, ValueRange v) {
                                     Value wide = Op::create(inner, where, element, v[0]);
                                     linalg::YieldOp::create(inner, where, wide);
                                   })
      .getResult(0);
}

void widen(IRRewriter &rewriter, linalg::GenericOp op, arith::AddFOp add) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Type wide = rewriter.getF64Type();
  Value init = convert<arith::ExtFOp>(rewriter, loc, op.getDpsInits()[0], wide);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, init.getType(), op.getDpsInputs(), init, op.getIndexingMapsArray(),
      op.getIteratorTypesArray(), [&](OpBuilder &b, Location where, ValueRange arguments) {
        IRMapping values;
        values.map(op.getBody()->getArguments(), arguments);
        for (Operation &inner : op.getBody()->without_terminator())
          if (&inner != add)
            b.clone(inner, values);
        Value term = add.getLhs() == op.getRegionOutputArgs().front() ? add.getRhs() : add.getLhs();
        Value wideTerm = arith::ExtFOp::create(b, where, wide, values.lookupOrDefault(term));
        Value next = arith::AddFOp::create(b, where, arguments.back(), wideTerm);
        linalg::YieldOp::create(b, where, next);
      });
  rewriter.replaceOp(
      op, convert<arith::TruncFOp>(rewriter, loc, sum.getResult(0), rewriter.getF32Type()));
}

struct PromoteAccumulatorsPass : impl::PromoteAccumulatorsPassBase<PromoteAccumulatorsPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums;
    getOperation().walk([&](linalg::GenericOp op) {
      if (accumulation(op))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : sums)
      widen(rewriter, op, accumulation(op));
  }
};

} // namespace
} // namespace kgen
