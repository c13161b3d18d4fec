// The commands of `kgen` and their exit codes.
#pragma once

#include "driver/Generate.h"

#include <string>

namespace kgen {

enum ExitCode {
  exitOk = 0,
  exitUserError = 1,
  exitUsage = 2,
  exitInternalError = 3,
  exitDifference = 4
};

struct GenerateCommand {
  GenerateOptions options;
  std::string directory; ///< -o; empty: ./<library>
  std::string depfile;
  std::string dumpDirectory;                ///< --dump-stages
  bool check = false, checkResults = false; ///< compare with the folder instead of writing it
  bool always = false;                      ///< write the folder even if it is up to date
  bool json = false, quiet = false, listParts = false;
  int run();
};

struct CheckCommand {
  std::string specPath;
  std::vector<std::string> targetSearchPath;
  bool printGraph = false, json = false;
  int run();
};

struct ExplainCommand {
  GenerateOptions options;
  std::string html; ///< where to write the page; empty: nowhere
  bool json = false;
  int run();
};

/// The targets built into kgen, and those of the search path.
int listTargets(const std::vector<std::string> &searchPath, bool json);
/// The operators with their types and attributes.
int listOperators(bool json);

/// Prints errors to stderr, or as JSON to stdout.
void report(const Diagnostics &diagnostics, bool json);

} // namespace kgen
