// Checks that a graph's function computes the results of plain loops.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/run/GraphCall.h"
#include "measure/ThreadPool.h"

namespace kgen {

/// The call of a graph by its name, at those sizes, in what was generated for a target. `counts`:
/// see GraphCall::setStates.
llvm::Expected<GraphCall> callOf(const GenerateResult &made, const std::string &graph,
                                 const std::string &target, CodeReference code,
                                 const SizeValues &sizes = {}, const SizeValues &counts = {});

/// The sizes that are numbers in the code that a call of a graph at these sizes runs.
SizeValues compiledSizes(const GenerateResult &made, const std::string &graph,
                         const SizeValues &sizes);

/// The code of what was generated, with the extern functions that its library is linked with.
llvm::Expected<LoadedCode>
loadCode(const GenerateResult &made,
         const std::vector<std::pair<std::string, void *>> &hostFunctions = {});

/// Like loadCode, or, with a machine, the program that it runs.
llvm::Expected<CallableCode> callableCode(const GenerateResult &made,
                                          const ForeignMachine *machine);

/// The coarsest type of floats in which a graph computes; f64 if there is none.
ElementType coarsestPrecision(const GenerateResult &made, const std::string &graph);

/// The results of the plain loops for one graph, and how far others may be from them: as far as 64
/// times what changes when inputs change by their rounding error, so that a graph that amplifies
/// errors is not called wrong (see also GraphCall::differences).
class ResultCheck {
public:
  /// `reference` was generated for one target; it and its code must outlive the check.
  static llvm::Expected<ResultCheck> make(const GenerateResult &reference, const std::string &graph,
                                          CodeReference code, const SizeValues &counts = {});

  /// Calls the function on the caller's thread, and `parallel`, the same function with other
  /// memory, by each pool. Says what differs: results from the expected ones, and, to the last bit,
  /// those of several threads from those of one.
  llvm::Expected<std::vector<std::string>> complaints(GraphCall &call, GraphCall &parallel,
                                                      const std::vector<ThreadPool> &pools) const;

private:
  struct Wanted {
    std::unique_ptr<GraphCall> call;
    std::vector<double> allowed;
  };
  std::vector<Wanted> sets;
  std::string failure; ///< why there are no results to compare with; empty: there are
  ElementType precision = ElementType::f64; ///< the coarsest in which the graph computes
  double undecided = 0;                     ///< see GraphCall::differences
};

} // namespace kgen
