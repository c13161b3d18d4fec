// A report as tables of words: what text and page have in common.
#pragma once

#include "explain/Table.h"
#include "simulate/Report.h"

namespace kgen {

/// All tables that have rows.
std::vector<Table> simulationTables(const SimulationReport &report);
/// Numbers of the engines as they are listed: L3, then of each core its DMA and its unit.
std::vector<int> engineOrder(const SimulationReport &report);
/// One line: where the function ran, and how long.
std::string simulationSummary(const SimulationReport &report);

} // namespace kgen
