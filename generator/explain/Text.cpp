#include "explain/Render.h"
#include "explain/Tables.h"

#include <fmt/format.h>

namespace kgen {

std::string explainText(const LibraryExplanation &library) {
  std::string result;
  for (const Explanation &part : library.parts) {
    result += fmt::format("{}{} on {}\n{}\n", result.empty() ? "" : "\n\n", part.graph, part.target,
                          summaryOf(part));
    for (const Table &table : explainTables(part))
      result += "\n" + tableText(table);
  }
  if (!library.budgets.empty())
    result += "\n\n" + tableText(budgetTable(library.budgets));
  return result;
}

} // namespace kgen
