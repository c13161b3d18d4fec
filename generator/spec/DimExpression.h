// Expressions of sizes that have names: "past + length", "floordiv(width + 1, 2)".
#pragma once

#include "expressions/Expression.h"
#include "support/Dim.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// Reads an expression, which is all of the text.
std::optional<expressions::Expression> parseSizes(llvm::StringRef text,
                                                  expressions::ExpressionError &error);
/// Returns the names in an expression.
std::vector<std::string> namesOf(const expressions::Expression &expression);
/// Returns those in a text; none where it is no expression.
std::vector<std::string> namesOfSizes(llvm::StringRef text);
/// Returns the value of an expression whose names have sizes.
std::optional<Dim> evaluateSizes(const expressions::Expression &expression,
                                 llvm::function_ref<Dim(llvm::StringRef)> sizeOf,
                                 expressions::ExpressionError &error);
/// Returns the value of an expression whose names are all among `sizes`, if it is a size.
std::optional<Dim> sizeOfText(llvm::StringRef text, const std::map<std::string, Dim> &sizes,
                              expressions::ExpressionError &error);

} // namespace kgen
