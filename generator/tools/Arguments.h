// Checks of arguments that several tools take.
#pragma once

#include <string>
#include <vector>

namespace kgen {

/// Why the name of a provider is wrong, or "".
std::string checkProvider(const std::string &name);

/// Why the text is no time that something may take, or "".
std::string checkSeconds(const std::string &text);

/// "4", "1,2,4" or "1..4" as numbers of threads; why it is none of them, or "".
std::string parseThreads(const std::string &text, std::vector<unsigned> &threads);

/// 1, and as many as this process has processors.
std::vector<unsigned> defaultThreads();

} // namespace kgen
