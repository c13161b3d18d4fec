// The three forms in which `kgen explain` answers.
#pragma once

#include "explain/Explanation.h"

namespace kgen {

/// Everything about a library: one explanation for each graph and target.
struct LibraryExplanation {
  std::string library;
  std::vector<Explanation> parts;
  int64_t weightBytes = 0; ///< of all parts; equal bytes counted once
  std::vector<ExplainedBudget> budgets{};
};

/// Aligned tables.
std::string explainText(const LibraryExplanation &library);
/// The explanation as JSON.
std::string explainJson(const LibraryExplanation &library);
/// One self-contained page: the graph with its fusion groups and the workspace drawn, and the
/// tables.
std::string explainHtml(const LibraryExplanation &library);
/// The tiles that kgen chose as `schedules:` of a spec, which choose the same.
std::string explainSchedules(const LibraryExplanation &library);

} // namespace kgen
