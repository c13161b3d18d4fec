#include "explain/StepsTable.h"

#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kgen {
namespace {

/// The end of the steps from `begin` on that are the work of the same nodes.
size_t endOfWork(const Explanation &e, size_t begin) {
  size_t end = begin + 1;
  while (end < e.steps.size() && e.steps[end].nodes == e.steps[begin].nodes)
    ++end;
  return end;
}

/// True if the steps are the variants of one operation for sizes that a call gives: there are many,
/// and control flow is among them.
bool areVariants(const Explanation &e, size_t begin, size_t end) {
  constexpr size_t many = 16;
  return end - begin > many &&
         std::any_of(e.steps.begin() + begin, e.steps.begin() + end,
                     [](const ExplainedStep &step) { return step.kind == StepKind::other; });
}

/// One row for the variants of an operation, and one for each of its contractions.
void addVariants(const Explanation &e, size_t begin, size_t end, Table &table) {
  std::map<std::string, size_t> contractions; // by text: how many
  std::vector<std::string> order;
  size_t copies = 0, others = 0;
  for (size_t i = begin; i < end; ++i) {
    const ExplainedStep &step = e.steps[i];
    if (step.kind == StepKind::copy)
      ++copies;
    else if (step.kind != StepKind::contraction)
      ++others;
    else if (std::string text = stepText(step); contractions[text]++ == 0)
      order.push_back(text);
  }
  table.rows.push_back({fmt::format("{}-{}", begin + 1, end), joined(e.steps[begin].nodes),
                        fmt::format("variants for sizes that a call gives: {} contractions, {} "
                                    "copies, {} loops and writes",
                                    end - begin - copies - others, copies, others)});
  for (const std::string &text : order)
    table.rows.push_back(
        {"", "",
         contractions[text] == 1 ? text : fmt::format("{} x {}", contractions[text], text)});
}

} // namespace

Table stepsTable(const Explanation &e) {
  Table table{"Steps", {{"step", true}, {"work of"}, {"how"}}, {}};
  for (size_t i = 0, end = 0; i < e.steps.size(); i = end) {
    end = endOfWork(e, i);
    if (areVariants(e, i, end)) {
      addVariants(e, i, end, table);
      continue;
    }
    for (; i < end; ++i)
      table.rows.push_back({std::to_string(i + 1), joined(e.steps[i].nodes), stepText(e.steps[i])});
  }
  return table;
}

} // namespace kgen
