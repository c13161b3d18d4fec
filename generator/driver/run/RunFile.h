// One .mlir file, compiled in this process and run.
#pragma once

#include "support/Diagnostics.h"

#include <ostream>
#include <string>
#include <vector>

namespace kgen {

struct RunOptions {
  std::string path, entry = "main", target;
  std::vector<std::string> targetSearchPath;
  bool reference = false;        ///< plain loops instead of the optimized pipeline
  std::string provider = "auto"; ///< of micro-kernels
  uint64_t seed = 1;             ///< of the arguments' contents
  bool print = false;            ///< arguments that are memrefs, and results, after the run
};

enum class RunStatus { ok, checkFailed, badInput, unsupportedCpu };

/// Runs the file. Output of the code and a line about its checks go to `out`, errors of the input
/// to the diagnostics or, where MLIR reports them, to stderr.
RunStatus runFile(const RunOptions &options, std::ostream &out, Diagnostics &diagnostics);

} // namespace kgen
