// Arguments that several commands have.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kgen {

/// --confine.
void addConfine(CLI::App &sub);
/// --target, --target-path and --confine.
void addTargets(CLI::App &sub, std::vector<std::string> &targets,
                std::vector<std::string> &searchPath);
/// --graph, a name or a pattern.
void addGraphs(CLI::App &sub, std::vector<std::string> &graphs);
/// --json FILE|-.
void addJson(CLI::App &sub, std::string &path);
/// --link, a file with extern functions.
void addLink(CLI::App &sub, std::vector<std::string> &files);
/// --report, of commands that compile.
void addReport(CLI::App &sub);
/// --timing.
void addTiming(CLI::App &sub);
/// --provider.
void addProvider(CLI::App &sub, std::string &provider);

} // namespace kgen
