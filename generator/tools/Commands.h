// The commands of `kgen` and their exit codes.
#pragma once

#include "driver/bench/Bench.h"
#include "driver/generate/Generate.h"
#include "driver/load/Import.h"
#include "driver/machines/Machines.h"
#include "driver/tune/Tune.h"
#include "driver/verify/Verify.h"

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
  bool stubs = false;                       ///< write a file for extern functions instead
  bool always = false;                      ///< write the folder even if it is up to date
  bool json = false, quiet = false, listParts = false;
  int run();
};

struct ImportCommand {
  ImportRequest request;
  std::string directory; ///< -o; empty: ./<library>-spec
  bool force = false;    ///< replace a spec that was edited
  bool json = false, quiet = false;
  int run();
};

struct CheckCommand {
  std::string specPath;
  std::vector<std::string> graphs; ///< patterns of names; empty: all
  std::vector<std::string> targetSearchPath;
  ModelBindings bindings;
  std::vector<std::string> link; ///< see LinkedFiles; empty: nothing is linked
  bool printGraph = false, json = false, quiet = false;
  std::string modelOptions; ///< as they were given, for another command: " --dim batch=1"
  int run();
};

struct ExplainCommand {
  GenerateOptions options;
  std::vector<std::string> graphs; ///< patterns of names; empty: all
  std::string html;                ///< where to write the page; empty: nowhere
  bool schedules = false;          ///< print kgen's own tiles as schedules instead
  std::string schedule;            ///< print the script of this node instead; empty: of none
  bool json = false;
  int run();
};

struct BenchCommand {
  BenchOptions options;
  ForeignTools foreign;
  std::string json;    ///< where to; "-": standard output, instead of the table; empty: nowhere
  std::string plot;    ///< where to draw the roofline; empty: nowhere
  std::string against; ///< what an earlier run wrote as JSON: ratios are shown; empty: none
  int run();
};

struct TuneCommand {
  TuneOptions options;
  std::string machine; ///< whose schedules' parameters are tuned; empty: targets of this CPU
  std::string json;    ///< see BenchCommand
  int run();

private:
  int runOnMachine();
};

struct VerifyCommand {
  VerifyOptions options;
  ForeignTools foreign;
  std::string json; ///< see BenchCommand
  int run();
};

struct SimulateCommand {
  SimulateOptions options;
  std::string html; ///< where to write the page; empty: nowhere
  bool json = false;
  int run();
};

/// The targets built into kgen, and those of the search path.
int listTargets(const std::vector<std::string> &searchPath, bool json);

/// Returns what a target may state beside what it must, with defaults: facts of a CPU and
/// heuristics.
int listHeuristics(bool json);
/// The operators with their types; of those that are named, their attributes, too.
/// With files of templates: theirs.
int listOperators(const std::vector<std::string> &names,
                  const std::vector<std::string> &templateFiles, bool json);

/// Prints errors and warnings to stderr. With `json`, and if there are errors, prints them as JSON
/// to stdout.
void report(const Diagnostics &diagnostics, bool json);

} // namespace kgen
