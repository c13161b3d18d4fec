// Errors and warnings, for people and for tools.
#include "support/Json.h"
#include "tools/Commands.h"

#include <llvm/ADT/ArrayRef.h>

#include <iostream>

namespace kgen {

/// Errors that are shown, and warnings: a damaged file can have one in each byte.
constexpr size_t mostShown = 100;

static Json listOf(const std::vector<Diagnostic> &diagnostics) {
  Json list = Json::array();
  for (const Diagnostic &d : llvm::ArrayRef(diagnostics).take_front(mostShown))
    list.push_back({{"file", d.where.file},
                    {"line", d.where.line},
                    {"column", d.where.column},
                    {"message", d.message},
                    {"hint", d.hint}});
  return list;
}

void report(const Diagnostics &diagnostics, bool json) {
  if (!json || !diagnostics.hasErrors()) {
    std::cerr << diagnostics.str(mostShown) << std::flush;
    return;
  }
  Json result = {{"errors", listOf(diagnostics.errors())}};
  if (!diagnostics.warnings().empty())
    result["warnings"] = listOf(diagnostics.warnings());
  if (diagnostics.errors().size() > mostShown)
    result["more_errors"] = diagnostics.errors().size() - mostShown;
  if (diagnostics.warnings().size() > mostShown)
    result["more_warnings"] = diagnostics.warnings().size() - mostShown;
  // Names from damaged files may not be UTF-8.
  std::cout << formatJson(result);
}

} // namespace kgen
