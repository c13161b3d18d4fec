// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/idioms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/idioms/Passes.h.inc"

} // namespace kgen
