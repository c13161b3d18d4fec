#include "explain/Table.h"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

std::string tableText(const Table &table) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    size_t width = table.columns[c].title.size();
    for (const auto &row : table.rows)
      width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  auto line = [&](auto cell) {
    std::string text = table.title.empty() ? "" : "  ";
    for (size_t c = 0; c < table.columns.size(); ++c)
      text += table.columns[c].isNumber ? fmt::format("{:>{}}  ", cell(c), widths[c])
                                        : fmt::format("{:<{}}  ", cell(c), widths[c]);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string result = table.title.empty() ? "" : table.title + "\n";
  result += line([&](size_t c) { return table.columns[c].title; });
  for (const auto &row : table.rows)
    result += line([&](size_t c) { return row[c]; });
  for (size_t start = 0; start < table.note.size();) {
    size_t end = std::min(table.note.find('\n', start), table.note.size());
    result += "  " + table.note.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

} // namespace kgen
