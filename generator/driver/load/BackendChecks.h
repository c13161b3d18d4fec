// Questions of targets to their back ends: if these compile, and which provider makes
// micro-kernels.
#pragma once

#include "target/TargetSpec.h"

#include <string>
#include <vector>

namespace kgen {

/// Reports at `where`, an entry of a library's `targets:`, a target whose back end compiles
/// nothing.
bool isRefused(const TargetSpec &target, const SourceLoc &where, Diagnostics &diagnostics);

/// Reports at `where` a target of another architecture than one of `targets`, if no macro of C
/// compilers tells the two apart: the library's header and C file could not choose.
bool isInseparable(const TargetSpec &target, const std::vector<TargetSpec> &targets,
                   const SourceLoc &where, Diagnostics &diagnostics);

/// Reports at `where` a second target of an architecture whose programs cannot choose between two.
bool isSecondVariant(const TargetSpec &target, const std::vector<TargetSpec> &targets,
                     const SourceLoc &where, Diagnostics &diagnostics);

/// Reports the provider of a target or schedule, if it has one, that no back end has.
void reportUnknownProvider(const Located<std::string> &provider, Diagnostics &diagnostics);

/// Reports a provider that the target's back end has not.
void reportForeignProvider(const std::string &name, const TargetSpec &target,
                           const SourceLoc &where, Diagnostics &diagnostics);

/// The names of providers that may be requested: "auto" is the cheapest for each micro-kernel.
std::vector<std::string> providerNames();
/// Returns what each of them is, one a line: "vector: kgen's own vector code".
std::string providerSummaries();

/// Returns what `asked` means for a target that may have a provider of its own.
std::string providerFor(const std::string &asked, const TargetSpec &target);

} // namespace kgen
