// Facts about a target that templates may ask for.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "expressions/Value.h"

namespace kgen::templates {

using expressions::TargetFacts;

/// The features and sizes; nothing of a null target.
TargetFacts factsOf(TargetAttr target);

} // namespace kgen::templates
