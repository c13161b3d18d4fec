// Old names of kgen-opt's flags: accepted with a warning that names the new one.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace kgen {

/// The arguments of a command line with new names of passes in place of old ones: flags themselves,
/// and names inside of a flag's value such as that of --pass-pipeline. Each old name gives a line
/// on `warnings`.
std::vector<std::string> withNewFlagNames(const std::vector<std::string> &arguments,
                                          std::ostream &warnings);

} // namespace kgen
