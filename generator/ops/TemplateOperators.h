// Operators that users write as templates: a template whose name has a dot is one.
#pragma once

#include "graph/Operator.h"

#include <memory>

namespace kgen {

/// The operators of files with templates; attributes are parameters, inputs are operands, optional
/// inputs are overloads. What is wrong with a file is reported at its place there.
std::vector<Operator> templateOperators(const std::vector<Located<std::string>> &paths,
                                        Diagnostics &diagnostics);

/// The built-in operators and those of the files.
std::shared_ptr<const OperatorTable>
operatorsWithTemplates(const std::vector<Located<std::string>> &paths, Diagnostics &diagnostics);

} // namespace kgen
