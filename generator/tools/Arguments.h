// Checks of arguments that several tools take.
#pragma once

#include <string>

namespace kgen {

/// Why the name of a provider is wrong, or "".
std::string checkProvider(const std::string &name);

} // namespace kgen
