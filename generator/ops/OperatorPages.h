// Texts about each operator besides its table: operands, results, an example.
#pragma once

#include <string>
#include <vector>

namespace kgen {

struct OperandPage {
  const char *name, *shape, *meaning;
};

struct OperatorPage {
  std::vector<OperandPage> operands; ///< of a variadic operator the only one
  std::vector<OperandPage> results;
  std::string example; ///< a graph of a spec, in YAML
};

/// Null for operators of templates, which have none.
const OperatorPage *findOperatorPage(const std::string &name);

} // namespace kgen
