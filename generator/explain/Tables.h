// An explanation as tables of words: what text and page have in common.
#pragma once

#include "explain/Explanation.h"
#include "explain/Table.h"

namespace kgen {

/// All tables that have rows.
std::vector<Table> explainTables(const Explanation &explanation);

/// Returns what is taken of each budget.
Table budgetTable(const std::vector<ExplainedBudget> &budgets);

/// One line: what there is and how much memory it takes.
std::string summaryOf(const Explanation &explanation);

const char *fateName(NodeFate fate); ///< one word
std::string fateText(const ExplainedNode &node);
std::string stepText(const ExplainedStep &step);
std::string stepList(const std::vector<size_t> &steps); ///< as numbers from 1: "2 4-6"
std::string bytesText(int64_t bytes);                   ///< "2.1 MB"
/// "tasks: {m: 64}".
std::string tilesText(const ExplainedTiles &tiles);
std::string joined(const std::vector<std::string> &words, const char *separator = " ");

} // namespace kgen
