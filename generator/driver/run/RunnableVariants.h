// The part of a library that can be run here.
#pragma once

#include "driver/load/LoadedLibrary.h"

#include <optional>

namespace kgen {

/// loadLibrary without the targets that this CPU does not support, with a line for each in `notes`,
/// and the graphs whose names match none of the patterns `graphs` (unless there are none): `*`, `?`
/// and `[a-c]` are as a shell has them. Nothing left, and patterns that match nothing, are errors,
/// and so are extern functions that no file of `link` defines.
std::optional<LoadedLibrary>
loadWhatRunsHere(const std::string &specPath, const std::vector<std::string> &targets,
                 const std::vector<std::string> &targetSearchPath, const ModelBindings &bindings,
                 const std::vector<std::string> &graphs, std::vector<std::string> &notes,
                 Diagnostics &diagnostics, const std::vector<std::string> &link = {});

/// Leaves the targets of one architecture where there are several, and says so in a note: of that
/// which kgen runs on, else of the first target's.
void keepOwnArchitecture(const std::string &specPath, LoadedLibrary &library,
                         Diagnostics &diagnostics);

/// Leaves the graphs whose names match one of the patterns; all of them without patterns. Those
/// that match nothing are errors.
void keepGraphs(const std::string &specPath, const std::vector<std::string> &wanted,
                LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
