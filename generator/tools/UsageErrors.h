// Messages about a command line that is wrong, and the examples that each command's help ends with.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace kgen {

/// The error message for a first argument that is no command; "" if it is one.
std::string checkCommand(const CLI::App &app, int argc, char **argv);

/// The error message for arguments of a command that it does not take.
std::string unexpectedArguments(const CLI::App &app);

/// Ends the help of `app` with `examples`, lines "  kgen COMMAND ...  what it does", and
/// `exitCodes`, and that of each command with its own ones, unless it has a text of its own.
void addExamples(CLI::App &app, const std::string &examples, const std::string &exitCodes);

} // namespace kgen
