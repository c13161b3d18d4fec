// Machines by name: they are described by target files, too.
#pragma once

#include "spec/MachineSpec.h"

namespace kgen {

/// Looks a machine up as findTarget() does a target. Reports an unknown name with a near match, and
/// a name that is a CPU's.
std::optional<MachineSpec> findMachine(const Located<std::string> &name,
                                       const std::string &specPath,
                                       const std::vector<std::string> &searchPath,
                                       Diagnostics &diagnostics);

/// Names of the machines built into kgen, in alphabetical order.
std::vector<std::string> builtInMachines();

} // namespace kgen
