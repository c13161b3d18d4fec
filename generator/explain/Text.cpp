#include "explain/Render.h"
#include "explain/Tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {
namespace {

std::string trimmed(std::string line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string text(const Table &table) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t width = table.columns[c].title.size();
    for (const auto &row : table.rows)
      width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  auto line = [&](auto cell) {
    std::string text;
    for (size_t c = 0; c < table.columns.size(); ++c)
      text += table.columns[c].isNumber ? fmt::format("{:>{}}  ", cell(c), widths[c])
                                        : fmt::format("{:<{}}  ", cell(c), widths[c]);
    return "  " + trimmed(text);
  };
  std::string result = table.title + "\n";
  result += line([&](size_t c) { return table.columns[c].title; });
  for (const auto &row : table.rows)
    result += line([&](size_t c) { return row[c]; });
  return result;
}

} // namespace

std::string explainText(const LibraryExplanation &library) {
  std::string result;
  for (const Explanation &part : library.parts) {
    result += fmt::format("{}{} on {}\n{}\n", result.empty() ? "" : "\n\n", part.graph, part.target,
                          summaryOf(part));
    for (const Table &table : explainTables(part))
      result += "\n" + text(table);
  }
  return result;
}

} // namespace kgen
