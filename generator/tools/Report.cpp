// Errors for people and for tools.
#include "tools/Commands.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace kgen {

void report(const Diagnostics &diagnostics, bool json) {
  if (!json) {
    std::cerr << diagnostics.str() << std::flush;
    return;
  }
  nlohmann::ordered_json errors = nlohmann::ordered_json::array();
  for (const Diagnostic &d : diagnostics.all())
    errors.push_back({{"file", d.where.file},
                      {"line", d.where.line},
                      {"column", d.where.column},
                      {"message", d.message},
                      {"hint", d.hint}});
  // Names from damaged files may not be UTF-8.
  std::cout << nlohmann::ordered_json{{"errors", errors}}.dump(
                   2, ' ', false, nlohmann::json::error_handler_t::replace)
            << "\n";
}

} // namespace kgen
