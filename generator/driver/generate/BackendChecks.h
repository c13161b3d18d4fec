// Questions of targets to their back ends: if these compile, and which provider makes
// micro-kernels.
#pragma once

#include "spec/TargetSpec.h"

namespace kgen {

/// Reports at `where`, an entry of a library's `targets:`, a target whose back end compiles
/// nothing.
bool isRefused(const TargetSpec &target, const SourceLoc &where, Diagnostics &diagnostics);

/// Reports the provider of a target or schedule, if it has one, that no back end has.
void checkProvider(const Located<std::string> &provider, Diagnostics &diagnostics);

} // namespace kgen
