#include "transforms/vectorize/ChannelChoice.h"

#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// Returns the operand that the selection compares with a constant; null if it selects otherwise.
OpOperand *comparedOperand(linalg::GenericOp op, arith::SelectOp selection) {
  auto comparison = selection.getCondition().getDefiningOp<arith::CmpFOp>();
  auto argument = comparison ? dyn_cast<BlockArgument>(comparison.getLhs()) : BlockArgument();
  Attribute constant;
  if (!argument || argument.getOwner() != op.getBody() ||
      !op.isDpsInput(op.getMatchingOpOperand(argument)) ||
      !matchPattern(comparison.getRhs(), m_Constant(&constant)))
    return nullptr;
  return op.getMatchingOpOperand(argument);
}

} // namespace

ChannelChoice::ChannelChoice(linalg::GenericOp op,
                             llvm::function_ref<bool(OpOperand &)> isOfChannels) {
  auto all = op.getBody()->getOps<arith::SelectOp>();
  OpOperand *operand = llvm::hasSingleElement(all) ? comparedOperand(op, *all.begin()) : nullptr;
  if (!operand || !isOfChannels(*operand))
    return;
  selection = *all.begin();
  compared = operand;
}

void ChannelChoice::begin(OpBuilder &b, Location loc, llvm::function_ref<Value(OpOperand &)> read) {
  if (!selection)
    return;
  auto comparison = selection.getCondition().getDefiningOp<arith::CmpFOp>();
  Value numbers = read(*compared),
        constant = b.clone(*comparison.getRhs().getDefiningOp())->getResult(0);
  auto type = dyn_cast<VectorType>(numbers.getType());
  if (type)
    constant = broadcastToLanes(b, loc, constant, type.getDimSize(0));
  Value each = arith::CmpFOp::create(b, loc, comparison.getPredicate(), numbers, constant);
  condition = type ? vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, each) : each;
}

SmallVector<Value> ChannelChoice::build(OpBuilder &b, Location loc,
                                        llvm::function_ref<SmallVector<Value>()> body) {
  if (!selection)
    return body();
  auto way = [&](bool isFirst) {
    return [&, isFirst](OpBuilder &, Location) {
      takesFirst = isFirst;
      scf::YieldOp::create(b, loc, body());
    };
  };
  return scf::IfOp::create(b, loc, condition, way(true), way(false)).getResults();
}

Value ChannelChoice::taken(Operation &inner) {
  if (&inner != selection)
    return {};
  return takesFirst ? selection.getTrueValue() : selection.getFalseValue();
}

} // namespace kgen
