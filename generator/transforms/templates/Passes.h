// Declarations of the passes on templates, generated from Passes.td.
#pragma once

#include "dialect/template/Template.h"

#include <mlir/Pass/Pass.h>

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/templates/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/templates/Passes.h.inc"

} // namespace kgen
