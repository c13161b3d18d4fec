// Bytes of sums whose code runs for one channel after the other: by one multiply-add for each
// channel that has one.
#include "analysis/ByteRowShape.h"
#include "transforms/idioms/ChannelNumbers.h"
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/ShorterSteps.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

/// The only operation of a kind in the body; null if there are none or several.
template <typename OpT> OpT onlyOne(linalg::GenericOp op) {
  auto all = op.getBody()->getOps<OpT>();
  return llvm::hasSingleElement(all) ? *all.begin() : OpT();
}

/// The function of x after the integers that are added to it first.
QuantizedInteger afterSums(QuantizedInteger function) {
  while (!function.steps.empty()) {
    const ScalarStep step = function.steps.front();
    if (step.kind != ScalarStep::Kind::add || !step.isInteger)
      break;
    function.lowest += *std::min_element(step.first.begin(), step.first.end());
    function.highest += *std::max_element(step.first.begin(), step.first.end());
    for (auto *bounds : {&function.lowests, &function.highests})
      for (auto [channel, bound] : llvm::enumerate(*bounds))
        bound += step.firstOf(static_cast<int64_t>(channel));
    function.steps.erase(function.steps.begin());
  }
  return function;
}

/// Chooses between a multiply-add and the steps that there are, by the channel.
void choose(IRRewriter &b, linalg::GenericOp op, unsigned loop, const ScalarStep &single) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  const Value numbers[] = {channelNumbers(b, loc, single.first, /*isInteger=*/false),
                           channelNumbers(b, loc, single.second, /*isInteger=*/false)};
  SmallVector<Value> arguments;
  op = withChannelOperands(b, op, loop, numbers, arguments);
  auto rounding = onlyOne<math::RoundEvenOp>(op);
  b.setInsertionPoint(rounding);
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0)),
        has = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, arguments[0], zero),
        sum = math::FmaOp::create(b, loc, onlyOne<arith::SIToFPOp>(op), arguments[0], arguments[1]);
  rounding->setOperand(0, arith::SelectOp::create(b, loc, has, sum, rounding.getOperand()));
}

} // namespace

void raiseChannelQuantizations(func::FuncOp func, IdiomLog &log) {
  TargetAttr target = targetOf(func);
  if (!target || !target.cpu().hasFma)
    return;
  SmallVector<linalg::GenericOp> found;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<ByteRowShape> shape = ByteRowShape::match(op); shape && shape->consumer)
      found.push_back(shape->consumer);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::GenericOp op : found) {
    auto result = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncIOp>();
    auto function = result ? QuantizedInteger::match(op, result) : std::nullopt;
    if (!function || function->loop != ByteRowShape::channels || !onlyOne<arith::SIToFPOp>(op) ||
        !onlyOne<math::RoundEvenOp>(op))
      continue;
    std::optional<ScalarStep> single = singleMultiplyAdds(afterSums(*function));
    if (!single)
      continue;
    log.applied(op.getLoc(), llvm::Twine(function->channels - llvm::count(single->first, 0)) +
                                 " of " + llvm::Twine(function->channels) +
                                 " channels make bytes of the sums by one multiply-add");
    choose(rewriter, op, *function->loop, *single);
  }
}

} // namespace kgen
