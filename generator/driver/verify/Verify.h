// Runs a graph on given inputs and compares its results with given ones: of a spec, in every
// variant that this CPU supports and in plain loops; of a generated library, in its variants.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/run/ForeignMachine.h"
#include "driver/run/TensorComparison.h"

namespace kgen {

struct VerifyOptions {
  std::string path;    ///< a spec, or the folder of a generated library
  std::string against; ///< see openTensors
  std::string graph;   ///< empty: the only one
  std::vector<std::string> targets, targetSearchPath; ///< see GenerateOptions
  ModelBindings bindings;                             ///< see loadLibrary
  std::vector<std::string> link; ///< files with extern functions: see LinkedFiles
  /// That runs the code, and has the files of `link`; null: this process.
  std::shared_ptr<const ForeignMachine> machine;
  std::string provider = "auto";
  bool allNodes = false; ///< compare the results of all nodes, too
  bool frames = false;   ///< arrays have a leading axis of calls; state is carried on
  ToleranceOptions tolerance;
  /// Called with the step that begins.
  std::function<void(const std::string &what)> progress;
};

struct VerifiedTensor {
  std::string name, op; ///< op: of the node that computes it; empty for outputs
  TensorType type;      ///< with an axis of calls if there are frames
  bool isGiven = true;  ///< compared with a given tensor; otherwise with what plain loops compute
  Tolerance tolerance;
  TensorComparison comparison;
  std::string value, expected; ///< of the worst element; empty: all are equal
  int64_t firstWrongFrame = -1;

  bool isRight() const { return comparison.wrong == 0; }
};

/// One call of a graph's function.
struct VerifiedRun {
  std::string variant;  ///< referenceVariant, or a target's name
  std::string device{}; ///< the graphics card; empty: a CPU
  std::vector<VerifiedTensor> tensors;

  /// The first in the order of frames, then of the tensors.
  const VerifiedTensor *firstWrong() const;
};

/// The name of plain loops among variants.
constexpr const char *referenceVariant = "reference";

struct VerifyReport {
  std::string library, graph;
  std::optional<int64_t> frames; ///< calls of each function, if the arrays have several
  std::vector<VerifiedRun> runs;
  /// With VerifyOptions::allNodes, in the order in which nodes depend on each other. These
  /// functions have all results as outputs.
  std::vector<VerifiedRun> nodes;
  std::vector<std::string> notes; ///< variants that this CPU does not support, unused arrays

  bool isRight() const;
};

/// Everything but `ok` is in the diagnostics; see GenerateStatus.
GenerateStatus verify(const VerifyOptions &options, VerifyReport &report, Diagnostics &diagnostics);

} // namespace kgen
