// Times of the steps of a graph's function.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/run/GraphCall.h"
#include "measure/Series.h"
#include "measure/ThreadPool.h"

namespace kgen {

/// One or several steps that are measured together, because they share tasks or a loop.
struct StepTime {
  std::vector<size_t> steps;      ///< of Explanation::steps; empty: work that is no step
  std::vector<std::string> nodes; ///< whose work it is
  std::string how;                ///< a line for each step
  int64_t flops = 0;              ///< of its contractions; 0: not known at these sizes
  Series seconds;                 ///< in one call of the function
};

/// Code compiled with GenerateOptions::timeSteps and `explain`.
class SteppedCode {
public:
  /// `made` must outlive it.
  static llvm::Expected<SteppedCode> load(const GenerateResult &made);

  /// Calls the function of a graph for a target again and again, at least three times, for that
  /// many seconds, with seeded inputs. Times are the wall clock's. `counts`: see
  /// GraphCall::setStates.
  llvm::Expected<std::vector<StepTime>> measure(const std::string &graph, const std::string &target,
                                                const ThreadPool &pool, double seconds,
                                                const SizeValues &sizes = {},
                                                const SizeValues &counts = {});

private:
  SteppedCode(const GenerateResult &made, LoadedCode code) : made(&made), code(std::move(code)) {}

  const GenerateResult *made;
  LoadedCode code;
};

} // namespace kgen
