// Reasons that patterns give to notifyMatchFailure, as debug output.
#pragma once

#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Returns what drivers of patterns tell about them: a listener that prints why patterns do not
/// match if the pass that runs is debugged (dialect/kgen/DebugOutput.h), else null.
mlir::RewriterBase::Listener *refusalListener();

} // namespace kgen
