// Errors and warnings, for people and for tools.
#include "tools/Commands.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace kgen {

static nlohmann::ordered_json listOf(const std::vector<Diagnostic> &diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic &d : diagnostics)
    list.push_back({{"file", d.where.file},
                    {"line", d.where.line},
                    {"column", d.where.column},
                    {"message", d.message},
                    {"hint", d.hint}});
  return list;
}

void report(const Diagnostics &diagnostics, bool json) {
  if (!json || !diagnostics.hasErrors()) {
    std::cerr << diagnostics.str() << std::flush;
    return;
  }
  nlohmann::ordered_json result = {{"errors", listOf(diagnostics.errors())}};
  if (!diagnostics.warnings().empty())
    result["warnings"] = listOf(diagnostics.warnings());
  // Names from damaged files may not be UTF-8.
  std::cout << result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

} // namespace kgen
