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

/// An operation that makes bytes of sums, whose code is for `width` channels at once.
struct BytesOfSums {
  linalg::GenericOp op;
  unsigned channels; ///< the loop over them
  int64_t width;
};

/// Returns what makes bytes of the sums, where code along channels has a branch by channels.
std::optional<BytesOfSums> bytesOf(linalg::GenericOp sums, TargetAttr target) {
  if (std::optional<ByteRowShape> shape = ByteRowShape::match(sums); shape && shape->consumer)
    return BytesOfSums{shape->consumer, ByteRowShape::channels, 1};
  std::optional<WindowShape> shape = WindowShape::match(sums);
  linalg::GenericOp reader =
      shape && ByteProduct::match(*shape) ? shape->findConsumer() : linalg::GenericOp();
  if (!reader)
    return std::nullopt;
  return BytesOfSums{reader, shape->channel, ByteProduct::channelsAtOnce(target)};
}

/// Chooses between multiply-adds and what is rounded without them, by the channel.
void choose(IRRewriter &b, linalg::GenericOp op, unsigned loop, ArrayRef<ScalarStep> multiplyAdds) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  SmallVector<Value> numbers, arguments;
  for (const ScalarStep &step : multiplyAdds)
    for (const std::vector<double> *list : {&step.first, &step.second})
      numbers.push_back(channelNumbers(b, loc, *list, /*isInteger=*/false));
  op = withChannelOperands(b, op, loop, numbers, arguments);
  auto rounding = onlyOne<math::RoundEvenOp>(op);
  b.setInsertionPoint(rounding);
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0)),
        has = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, arguments[0], zero),
        sum = onlyOne<arith::SIToFPOp>(op);
  for (size_t i = 0; i < arguments.size(); i += 2)
    sum = math::FmaOp::create(b, loc, sum, arguments[i], arguments[i + 1]);
  rounding->setOperand(0, arith::SelectOp::create(b, loc, has, sum, rounding.getOperand()));
}

} // namespace

void raiseChannelQuantizations(func::FuncOp func, IdiomLog &log) {
  TargetAttr target = targetOf(func);
  if (!target || !target.cpu().hasFma)
    return;
  SmallVector<BytesOfSums> found;
  func.walk([&](linalg::GenericOp op) {
    if (std::optional<BytesOfSums> bytes = bytesOf(op, target))
      found.push_back(*bytes);
  });
  IRRewriter rewriter(func.getContext());
  for (auto [op, channels, width] : found) {
    auto result = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::TruncIOp>();
    auto function = result ? QuantizedInteger::match(op, result) : std::nullopt;
    if (!function || function->loop != channels || !onlyOne<arith::SIToFPOp>(op) ||
        !onlyOne<math::RoundEvenOp>(op))
      continue;
    auto multiplyAdds = multiplyAddsOfChannels(afterSums(*function), width);
    if (!multiplyAdds)
      continue;
    log.applied(op.getLoc(),
                llvm::Twine(multiplyAdds->channels) + " of " + llvm::Twine(function->channels) +
                    " channels make bytes of the sums by " +
                    (multiplyAdds->steps.size() == 1 ? "one multiply-add" : "two multiply-adds"));
    choose(rewriter, op, channels, multiplyAdds->steps);
  }
}

} // namespace kgen
