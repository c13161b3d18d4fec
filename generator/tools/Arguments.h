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

/// The error message for the name of a file that is no SVG's, or of one that is not kgen's; "" if
/// it may be written.
std::string checkSvg(const std::string &path);

/// The error message for a file that is there and has none of the marks of what would replace it,
/// which are within its first bytes: it is somebody's own. "" if it may be replaced.
std::string checkReplaceable(const std::string &path, const std::vector<std::string> &marks,
                             const std::string &what);

/// checkReplaceable for a report of a crash, a page in HTML, and results in JSON.
std::string checkReport(const std::string &path);
std::string checkPage(const std::string &path);
std::string checkJson(const std::string &path);

/// The error message for a text that is no finite number from 0 on; "" if it is one.
std::string checkTolerance(const std::string &text);

/// Parses "4", "1,2,4" or "1..4" into `threads`. Returns an error message, or "".
std::string parseThreads(const std::string &text, std::vector<unsigned> &threads);

/// The default numbers of threads: 1 and the number of processors of this process.
std::vector<unsigned> defaultThreads();

} // namespace kgen
