// The fastest choices for a library on this machine, target by target.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/load/Sizes.h"

namespace kgen {

struct TuneOptions {
  std::string specPath;
  std::vector<std::string> targets, targetSearchPath; ///< see GenerateOptions
  ModelBindings bindings;                             ///< see loadLibrary
  std::vector<std::string> graphs;                    ///< see BenchOptions
  std::vector<std::string> link; ///< files with extern functions: see LinkedFiles
  SizeLists sizes;               ///< that functions are called with; see combinations()
  double seconds = 120;          ///< for each target
  bool heuristics = false;       ///< whether trade-offs of code generation are tried, too
  std::string output; ///< folder of the files; empty: beside the spec, or where the target's is
  bool force = false; ///< whether files that are there already may be replaced
  /// Called with the step that begins, and the share of all that is done, from 0 to 1.
  std::function<void(double done, const std::string &what)> progress;
};

/// A choice that was changed.
struct TuneChange {
  std::string kind, before, after;
  double ratio; ///< of speeds, after by before
};

/// A graph with the target as it is and with all changes; one that is given sizes is there for each
/// combination of them.
struct TunedGraph {
  std::string name;
  double ratio;   ///< of speeds, with all changes by without
  double seconds; ///< of a call with all changes
};

struct TunedTarget {
  TargetSpec target; ///< with the winners
  std::string path;  ///< of the file that the winners belong into
  std::vector<TuneChange> changes;
  double ratio = 1; ///< of speeds, with all changes by without; geometric mean over `graphs`
  std::vector<TunedGraph> graphs;
  int64_t tried = 0;                     ///< candidates that were compiled
  int64_t same = 0;                      ///< of these, those with the code of the best one so far
  std::vector<std::string> refusals;     ///< of these, those that cannot be compiled, and why
  bool complete = true;                  ///< whether there was time for all
  std::vector<std::string> wrongResults; ///< of candidates; these never win
};

struct TuneReport {
  std::string library, cpu;
  std::vector<TunedTarget> targets;
  std::vector<std::string> notes; ///< targets that this CPU does not support
};

/// The file for a target with winners. Equal winners on an equal machine give equal bytes.
std::string tunedFile(const TuneReport &report, const TunedTarget &tuned);

/// Every candidate's results are checked before it is timed, alternating with the best one so far.
/// The order is fixed; what wins depends on the machine. It is an internal error if the target as
/// it is computes something wrong.
GenerateStatus tuneLibrary(const TuneOptions &options, TuneReport &report,
                           Diagnostics &diagnostics);

} // namespace kgen
