// Sizes of a library, and its `budgets`.
#pragma once

#include "driver/generate/Generate.h"

namespace kgen {

/// True if the library or one of its graphs has budgets.
bool hasBudgets(const LibrarySpec &spec);

/// Returns what a part's code takes, for its budgets. The graph was compiled to an object, with
/// CompileOptions::explain.
PartCosts costsOf(const CompiledGraph &compiled);

/// All budgets of the spec and how much the parts take of them: those of graphs in declared order,
/// then the library's.
std::vector<BudgetUse> budgetUses(const LibrarySpec &spec, const std::vector<Part> &parts);

/// Reports budgets that are exceeded, each at its key with what takes most.
void reportExceeded(const std::vector<BudgetUse> &uses, Diagnostics &diagnostics);

} // namespace kgen
