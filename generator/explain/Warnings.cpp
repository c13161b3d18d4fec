#include "explain/Warnings.h"

#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {
namespace {

/// About 1 us of scalar code at an element a cycle.
constexpr int64_t minElements = 4096;
/// About 1 us of a copy within the caches at 16 bytes a cycle.
constexpr int64_t minBytes = 65536;

std::string loopsWarning(const ExplainedStep &step) {
  const ExplainedLoops &loops = *step.loops;
  int64_t elements = 1;
  for (int64_t size : loops.sizes)
    elements *= size;
  if (elements < minElements)
    return "";
  if (loops.scalar)
    return fmt::format("its loops over {} were not vectorized", fmt::join(loops.sizes, " x "));
  bool isOwnWork = step.purpose.empty();
  if (step.purpose == "up-convert")
    return fmt::format("an operand of {} elements is widened in each run", elements);
  if (loops.gathered > 0 && isOwnWork)
    return fmt::format("{} operand{} of its loops over {} {} read element by element",
                       loops.gathered, loops.gathered == 1 ? "" : "s",
                       fmt::join(loops.sizes, " x "), loops.gathered == 1 ? "is" : "are");
  if (step.kind == StepKind::copy && isOwnWork)
    return fmt::format("{} are moved in each run", bytesText(loops.bytes));
  return "";
}

} // namespace

std::vector<ExplainedWarning> warningsOf(const Explanation &explanation) {
  std::vector<ExplainedWarning> warnings;
  auto add = [&](const std::vector<std::string> &nodes, const std::string &text) {
    bool isKnown = std::any_of(warnings.begin(), warnings.end(), [&](const auto &warning) {
      return warning.nodes == nodes && warning.text == text;
    });
    if (!text.empty() && !isKnown)
      warnings.push_back({nodes, text});
  };
  for (const ExplainedWaste &waste : explanation.waste)
    add(waste.nodes, waste.text);
  for (const ExplainedStep &step : explanation.steps)
    if (step.loops)
      add(step.nodes, loopsWarning(step));
  for (const ExplainedOperandB &operand : explanation.operands)
    if (operand.when == "run" && operand.bytes >= minBytes)
      add(operand.nodes, fmt::format("'{}' ({}) is packed in each run: {}", operand.operand,
                                     bytesText(operand.bytes), operand.why));
  for (const ExplainedRepeat &repeat : explanation.repeats)
    if (repeat.bytes >= minBytes)
      add(repeat.nodes,
          fmt::format("work done twice: '{}' ({}) is {} in {} form for '{}', too", repeat.operand,
                      bytesText(repeat.bytes), repeat.what, repeat.isSame ? "the same" : "another",
                      fmt::join(repeat.first, "', '")));
  for (const ExplainedCopy &copy : explanation.copies)
    if (copy.bytes >= minBytes)
      add(copy.nodes,
          fmt::format("{} are copied in each run: {}", bytesText(copy.bytes), copy.why));
  return warnings;
}

} // namespace kgen
