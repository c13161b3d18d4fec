// The part of a library that can be run here.
#pragma once

#include "driver/load/LoadedLibrary.h"
#include "driver/run/ForeignMachine.h"

#include <optional>

namespace kgen {

/// A library of which loadWhatRuns loads a part.
struct RunnableRequest {
  const std::string &specPath;
  const std::vector<std::string> &targets, &targetSearchPath; ///< see GenerateOptions
  const ModelBindings &bindings;                              ///< see loadLibrary
  /// Names or patterns: `*`, `?` and `[a-c]` are as a shell has them. Empty: all graphs.
  const std::vector<std::string> &graphs;
  const std::vector<std::string> &link; ///< files with extern functions: see LinkedFiles
  /// That runs the code, and has the files of `link`; null: this process.
  const ForeignMachine *machine = nullptr;
  const char *otherwise = ""; ///< what else a user can do if nothing runs
  /// True if code for graphics cards is run, too.
  bool gpus = false;
};

/// loadLibrary without the targets that this CPU (or the machine's) does not support, with a line
/// for each in `notes`, and the graphs that are not asked for. Of a machine, targets are those of
/// its architecture. Nothing left, and patterns that match nothing, are errors, and so are extern
/// functions that no file defines. If only graphics cards are asked for, the least of this CPU's
/// default targets stands beside them, for plain loops.
std::optional<LoadedLibrary> loadWhatRuns(const RunnableRequest &request,
                                          std::vector<std::string> &notes,
                                          Diagnostics &diagnostics);

/// Returns the features that this CPU, or the machine's, lacks.
llvm::Expected<std::vector<std::string>> missingFeatures(const std::set<std::string> &features,
                                                         const ForeignMachine *machine);
/// A hint if this CPU supports no variant, of commands with these options.
constexpr const char *runElsewhere =
    "; --run-with COMMAND and --cc COMPILER run code for other CPUs, in an emulator for example";

/// Leaves the targets of one architecture where there are several, and says so in a note: of that
/// which kgen runs on, else of the first target's.
void keepOwnArchitecture(const std::string &specPath, LoadedLibrary &library,
                         Diagnostics &diagnostics);

/// Leaves the graphs whose names match one of the patterns; all of them without patterns. Those
/// that match nothing are errors.
void keepGraphs(const std::string &specPath, const std::vector<std::string> &wanted,
                LoadedLibrary &library, Diagnostics &diagnostics);

/// Leaves the states that the graphs use: of others nobody says the sizes.
void keepUsedStates(LoadedLibrary &library);

} // namespace kgen
