// Parameters that a template is tried with.
#pragma once

#include "templates/language/Unify.h"

namespace kgen::templates {

/// Every combination of finite sets that `requires` allows, up to 64. A parameter without a set has
/// the values of `examples`, else its default, else some of our own.
std::vector<Environment> trialsOf(const Template &of, const TargetFacts &target);

} // namespace kgen::templates
