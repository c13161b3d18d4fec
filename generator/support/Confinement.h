// Keeps what kgen reads in one folder (--confine), for specs of people who are not trusted.
#pragma once

#include <string>

namespace kgen {

/// From now on every file that is read must be in the folder, links resolved. Returns false if
/// there is no such folder.
bool confineReads(const std::string &folder);

/// Returns why the file may not be read; "" if it may.
std::string refusalToRead(const std::string &path);

} // namespace kgen
