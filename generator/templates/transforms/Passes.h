// Declarations of the passes on templates, generated from Passes.td.
#pragma once

#include "templates/dialect/Template.h"

#include <mlir/Pass/Pass.h>

namespace kgen {

#define GEN_PASS_DECL
#include "templates/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "templates/transforms/Passes.h.inc"

} // namespace kgen
