// For which operating systems a library is made, and whether its targets and providers are there.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// Returns those that the spec lists, each once; without a list that of the host, or `only`. With
/// `only`, others are left out, and a list without it is an error.
std::vector<System> systemsOf(const LibrarySpec &spec, std::optional<System> only,
                              Diagnostics &diagnostics);

/// Reports systems for which a target's architecture has no code, or a named provider makes no
/// kernels; and a list of systems in a library none of whose targets needs one.
void checkSystems(const LoadedLibrary &library, const LibrarySpec &spec, Diagnostics &diagnostics);

/// Reports at `where` a provider that makes no kernels for a target on one of the systems.
void checkProvider(const std::string &provider, const SourceLoc &where, const TargetSpec &target,
                   const std::vector<System> &systems, Diagnostics &diagnostics);

/// A target's code on a system is that of the triple which its architecture has there.
TargetSpec targetOn(System system, TargetSpec target);

} // namespace kgen
