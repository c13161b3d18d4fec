// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

/// Pads that kgen-lower-packs lowers: none, all, or all but those that reduce-windows fold.
enum class LoweredPads { none, outsideWindows, all };

#define GEN_PASS_DECL
#include "transforms/layout/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/layout/Passes.h.inc"

} // namespace kgen
