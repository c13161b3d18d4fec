// Places of target files, whatever they describe: beside the spec, in the search path, built in.
#pragma once

#include "spec/BuiltInTargets.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// Looks a target file up, as findTarget() documents. Reports what cannot be read, a name that
/// nothing has, with names of the kind that is wanted, and a file of the other kind.
std::optional<TargetFile> findTargetFile(const Located<std::string> &name, TargetKind wanted,
                                         const std::string &specPath,
                                         const std::vector<std::string> &searchPath,
                                         Diagnostics &diagnostics);

} // namespace kgen
