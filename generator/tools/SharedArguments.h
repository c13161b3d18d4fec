// Arguments that several commands have.
#pragma once

#include "driver/run/ForeignMachine.h"

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
/// --run-with and --cc.
void addForeign(CLI::App &sub, ForeignTools &tools);
/// Fills in the machine that they say; null without them. False after errors.
bool openMachine(const ForeignTools &tools, const std::vector<std::string> &link,
                 std::shared_ptr<const ForeignMachine> &machine, Diagnostics &diagnostics);
/// --report, of commands that compile.
void addReport(CLI::App &sub);
/// --timing.
void addTiming(CLI::App &sub);
/// --provider.
void addProvider(CLI::App &sub, std::string &provider);

} // namespace kgen
