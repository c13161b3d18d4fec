// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/bufferize/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/bufferize/Passes.h.inc"

} // namespace kgen
