#include "transforms/analysis/IndexValues.h"

#include "dialect/kgen/TaskRange.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// A limit of memory: 2 MB of values for each operand.
constexpr size_t maxValues = 1 << 18;

using Values = SmallVector<int64_t>;

std::optional<Values> valuesOfVariable(BlockArgument variable, Operation *op) {
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
  if (!from || !to || !step || *step < 1 ||
      (*to - *from) / *step >= static_cast<int64_t>(maxValues))
    return std::nullopt;
  TaskRange some = tasksOf(op, loop, *to);
  Values values;
  for (int64_t value = *from; value < *to; value += *step)
    if (value >= some.first && value < some.end)
      values.push_back(value);
  return values;
}

/// The values of coordinate `number` of a task's index.
std::optional<Values> valuesOfCoordinate(affine::AffineDelinearizeIndexOp op, unsigned number,
                                         Operation *at) {
  std::optional<Values> all = possibleValues(op.getLinearIndex(), at);
  ArrayRef<int64_t> counts = op.getStaticBasis();
  if (!all || !op.hasOuterBound() || llvm::is_contained(counts, ShapedType::kDynamic))
    return std::nullopt;
  int64_t distance = 1;
  for (int64_t count : counts.drop_front(number + 1))
    distance *= count;
  for (int64_t &value : *all)
    value = value / distance % counts[number];
  return all;
}

/// What `op` computes from constants; nothing if it does not fold.
std::optional<int64_t> fold(Operation *op, ArrayRef<int64_t> operands) {
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

/// Adds the results for every combination of the operands' values that begins with `chosen`. False
/// if one is not known, or there are too many.
bool addChoices(Operation *op, ArrayRef<Values> operands, Values &chosen, Values &results) {
  if (chosen.size() < operands.size()) {
    for (int64_t value : operands[chosen.size()]) {
      chosen.push_back(value);
      bool isKnown = addChoices(op, operands, chosen, results);
      chosen.pop_back();
      if (!isKnown)
        return false;
    }
    return true;
  }
  std::optional<int64_t> result = fold(op, chosen);
  if (result)
    results.push_back(*result);
  return result && results.size() <= maxValues;
}

} // namespace

static Values sorted(Values values) {
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  return values;
}

std::optional<SmallVector<int64_t>> possibleValues(Value index, Operation *at) {
  if (auto constant = getConstantIntValue(index))
    return Values{*constant};
  if (auto variable = dyn_cast<BlockArgument>(index))
    return valuesOfVariable(variable, at);
  Operation *op = index.getDefiningOp();
  if (auto task = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
    auto values = valuesOfCoordinate(task, cast<OpResult>(index).getResultNumber(), at);
    return values ? std::optional(sorted(std::move(*values))) : std::nullopt;
  }
  if (!isa<affine::AffineApplyOp>(op) && op->getName().getDialectNamespace() != "arith")
    return std::nullopt;
  SmallVector<Values> operands;
  for (Value operand : op->getOperands()) {
    auto values = possibleValues(operand, at);
    if (!values)
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  Values chosen, results;
  if (!addChoices(op, operands, chosen, results))
    return std::nullopt;
  return sorted(std::move(results));
}

} // namespace kgen
