// Values that a text refers to: $name, and $(...) with integer arithmetic.
#pragma once

#include "spec/Fields.h"

#include <map>
#include <optional>

namespace kgen {

/// Names and the text that stands for them: none where it is wrong, which was reported.
using Substitutions = std::map<std::string, std::optional<std::string>>;

/// A copy of the tree whose scalars have their values filled in: `$name` is the text itself,
/// `$(...)` an integer from integers, names, + - * / and parentheses; a division must have no
/// remainder; `$$` is a dollar sign. Unknown names and bad expressions are reported at the scalar,
/// which becomes invalid; so does one that refers to a name without a text, which is not reported.
YamlNode substitute(const SpecReader &reader, const YamlNode &node, const Substitutions &values);

} // namespace kgen
