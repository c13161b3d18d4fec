// Checks of arguments that several tools take.
#pragma once

#include <string>
#include <vector>

namespace kgen {

/// The names of all providers.
std::string providerList(const char *separator);

/// The error message for a wrong name of a provider; "" if the name is right.
std::string checkProvider(const std::string &name);

/// The error message for a text that is no positive number of seconds; "" if it is one.
std::string checkSeconds(const std::string &text);

/// The error message for the name of a file that is no SVG's; "" if it is one.
std::string checkSvg(const std::string &path);

/// The error message for a text that is no finite number from 0 on; "" if it is one.
std::string checkTolerance(const std::string &text);

/// Parses "4", "1,2,4" or "1..4" into `threads`. Returns an error message, or "".
std::string parseThreads(const std::string &text, std::vector<unsigned> &threads);

/// The default numbers of threads: 1 and the number of processors of this process.
std::vector<unsigned> defaultThreads();

} // namespace kgen
