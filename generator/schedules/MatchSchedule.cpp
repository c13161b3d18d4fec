#include "schedules/MatchSchedule.h"

#include "graph/Operator.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/GlobPattern.h>

namespace kgen {

static bool matchesGlob(const std::string &pattern, const std::string &name) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (glob)
    return glob->match(name);
  llvm::consumeError(glob.takeError());
  return pattern == name;
}

static bool holds(const std::string &relation, int64_t left, int64_t right) {
  if (relation == "==")
    return left == right;
  if (relation == "!=")
    return left != right;
  if (relation == "<")
    return left < right;
  if (relation == "<=")
    return left <= right;
  return relation == ">" ? left > right : left >= right;
}

static std::string textOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string mismatch(const ScheduleCondition &condition, const ScheduledOperator &op) {
  if (condition.name == "type") {
    std::string type = textOf(op.operands.front().elementType);
    bool isEqual = type == condition.type;
    return isEqual == (condition.relation == "==") ? "" : "its type is " + type;
  }
  if (condition.name.size() != 1 || op.loops.find(condition.name) == std::string::npos)
    return "it has no loop '" + condition.name + "'";
  int64_t size = op.sizeOf(condition.name[0]);
  int64_t value = condition.divisor ? size % condition.divisor : size;
  if (holds(condition.relation, value, condition.number))
    return "";
  return condition.name + " is " + std::to_string(size);
}

bool isForTarget(const ScheduleSpec &schedule, const std::string &target) {
  auto isTarget = [&](const Located<std::string> &name) { return name.value == target; };
  return schedule.match.targets.empty() || llvm::any_of(schedule.match.targets, isTarget);
}

/// Returns what a nest says of loops and operands that the operator does not have; "" if it has
/// all.
static std::string misfit(const ScheduleSpec &schedule, const ScheduledOperator &op) {
  for (const ScheduleLevel &level : schedule.nest) {
    for (const auto &[loop, size] : level.sizes)
      if (op.loops.find(loop) == std::string::npos)
        return "it has no loop '" + loop + "'";
    for (const auto &[operand, memory] : level.keep)
      if (!op.find(operand))
        return "it has no operand '" + operand + "'";
  }
  return "";
}

std::string mismatch(const ScheduleSpec &schedule, const Node &node, const ScheduledOperator *op,
                     const std::string &target) {
  const ScheduleMatch &match = schedule.match;
  if (!isForTarget(schedule, target))
    return "it is for other targets";
  if (!match.op.value.empty() && match.op.value != node.op->name)
    return "it is for " + match.op.value;
  auto matches = [&](const Located<std::string> &pattern) {
    return matchesGlob(pattern.value, node.name);
  };
  if (!match.nodes.empty() && llvm::none_of(match.nodes, matches))
    return "it is for other nodes";
  if (!op && !schedule.nest.empty())
    return "the node has no loops with names: it is no product, convolution or elementwise "
           "operation, or has sizes that are known at run time only";
  if (op && llvm::is_contained(match.namedBy, target))
    if (std::string reason = misfit(schedule, *op); !reason.empty())
      return reason;
  for (const ScheduleCondition &condition : match.where) {
    if (!op)
      return "the node has no loops with names";
    std::string reason = mismatch(condition, *op);
    if (!reason.empty())
      return reason;
  }
  return "";
}

} // namespace kgen
