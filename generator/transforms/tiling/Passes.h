// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

/// Tiles that kgen-select-tiling chooses: those of tasks, or those of sequential loops.
enum class TilingLevel { distribution, cache, vector };

#define GEN_PASS_DECL
#include "transforms/tiling/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/tiling/Passes.h.inc"

} // namespace kgen
