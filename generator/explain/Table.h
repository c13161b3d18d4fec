// Words in columns: every table that kgen prints.
#pragma once

#include <string>
#include <vector>

namespace kgen {

struct Table {
  struct Column {
    std::string title;
    bool isNumber = false; ///< aligned to the right
  };
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< of ASCII
  std::string note = "";                      ///< lines below the rows
};

/// The table for a terminal: columns as wide as their longest word, and the rows indented below the
/// title if there is one. No line ends in spaces.
std::string tableText(const Table &table);

} // namespace kgen
