#include "transforms/analysis/IndexValues.h"

#include "dialect/kgen/TaskRange.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr size_t most = 1 << 18;

using Places = SmallVector<int64_t>;

std::optional<Places> ofVariable(BlockArgument variable, Operation *place) {
  auto loop = dyn_cast<LoopLikeOpInterface>(variable.getOwner()->getParentOp());
  std::optional<SmallVector<Value>> variables = loop ? loop.getLoopInductionVars() : std::nullopt;
  if (!variables)
    return std::nullopt;
  auto found = llvm::find(*variables, variable);
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (found == variables->end() || !lower || !upper || !steps)
    return std::nullopt;
  size_t number = found - variables->begin();
  auto from = getConstantIntValue((*lower)[number]), to = getConstantIntValue((*upper)[number]),
       step = getConstantIntValue((*steps)[number]);
  if (!from || !to || !step || *step < 1 || (*to - *from) / *step >= static_cast<int64_t>(most))
    return std::nullopt;
  TaskRange some = taskRangeOf(place, loop, *to);
  Places places;
  for (int64_t at = *from; at < *to; at += *step)
    if (at >= some.first && at < some.end)
      places.push_back(at);
  return places;
}

/// Of one of the coordinates that the number of a task stands for.
std::optional<Places> ofCoordinate(affine::AffineDelinearizeIndexOp op, unsigned number,
                                   Operation *at) {
  std::optional<Places> all = possibleValues(op.getLinearIndex(), at);
  ArrayRef<int64_t> counts = op.getStaticBasis();
  if (!all || !op.hasOuterBound() || llvm::is_contained(counts, ShapedType::kDynamic))
    return std::nullopt;
  int64_t distance = 1;
  for (int64_t count : counts.drop_front(number + 1))
    distance *= count;
  for (int64_t &place : *all)
    place = place / distance % counts[number];
  return all;
}

/// What `op` computes from constants, if it is one of the operations on indices.
std::optional<int64_t> folded(Operation *op, ArrayRef<int64_t> operands) {
  Builder b(op->getContext());
  SmallVector<Attribute> constants;
  for (int64_t operand : operands)
    constants.push_back(b.getIndexAttr(operand));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results.front())) // one of the operands
    return operands[llvm::find(op->getOperands(), value) - op->operand_begin()];
  return getConstantIntValue(results.front());
}

/// Of every choice of the operands' places.
bool addChoices(Operation *op, ArrayRef<Places> operands, Places &chosen, Places &results) {
  if (chosen.size() < operands.size()) {
    for (int64_t place : operands[chosen.size()]) {
      chosen.push_back(place);
      bool isKnown = addChoices(op, operands, chosen, results);
      chosen.pop_back();
      if (!isKnown)
        return false;
    }
    return true;
  }
  std::optional<int64_t> result = folded(op, chosen);
  if (result)
    results.push_back(*result);
  return result && results.size() <= most;
}

} // namespace

static Places sorted(Places places) {
  llvm::sort(places);
  places.erase(llvm::unique(places), places.end());
  return places;
}

std::optional<SmallVector<int64_t>> possibleValues(Value index, Operation *at) {
  if (auto constant = getConstantIntValue(index))
    return Places{*constant};
  if (auto variable = dyn_cast<BlockArgument>(index))
    return ofVariable(variable, at);
  Operation *op = index.getDefiningOp();
  if (auto task = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
    auto places = ofCoordinate(task, cast<OpResult>(index).getResultNumber(), at);
    return places ? std::optional(sorted(std::move(*places))) : std::nullopt;
  }
  if (!isa<affine::AffineApplyOp>(op) && op->getName().getDialectNamespace() != "arith")
    return std::nullopt;
  SmallVector<Places> operands;
  for (Value operand : op->getOperands()) {
    auto places = possibleValues(operand, at);
    if (!places)
      return std::nullopt;
    operands.push_back(std::move(*places));
  }
  Places chosen, results;
  if (!addChoices(op, operands, chosen, results))
    return std::nullopt;
  return sorted(std::move(results));
}

} // namespace kgen
