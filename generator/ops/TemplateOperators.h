// Operators that users write as templates: a template whose name has a dot is one.
#pragma once

#include "graph/Operator.h"

#include <memory>

namespace kgen {

struct TemplateSources; // ops/TemplateOperator.h

/// Files with templates; null if there is none. What is wrong with a file is reported at its place
/// there.
std::shared_ptr<const TemplateSources> readTemplates(const std::vector<Located<std::string>> &paths,
                                                     Diagnostics &diagnostics);

/// All of them, also those without a dot, by their names.
std::shared_ptr<const OperatorTable>
callableTemplates(const std::shared_ptr<const TemplateSources> &files);

/// Their operators, of names with a dot; attributes are parameters, inputs are operands, optional
/// inputs are overloads.
std::vector<Operator> templateOperators(const std::shared_ptr<const TemplateSources> &files);

/// The built-in operators and those of the files.
std::shared_ptr<const OperatorTable>
operatorsWith(const std::shared_ptr<const TemplateSources> &files);

} // namespace kgen
