// Declarations of the passes of Passes.td.
#pragma once

#include "transforms/PassTypes.h"

namespace kgen {

#define GEN_PASS_DECL
#include "transforms/decompose/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "transforms/decompose/Passes.h.inc"

/// The form that kgen-decompose-named-ops chose (a string), on the last of the operations that it
/// made.
constexpr llvm::StringLiteral formAttrName = "kgen.form";

} // namespace kgen
