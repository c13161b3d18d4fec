// A report for people and for programs.
#pragma once

#include "simulate/Report.h"
#include "support/Diagnostics.h"

#include <string>

namespace kgen {

std::string simulationText(const SimulationReport &report);
/// With the errors and warnings.
std::string simulationJson(const SimulationReport &report, const Diagnostics &diagnostics);
/// One page without scripts and without anything to load.
std::string simulationHtml(const SimulationReport &report);

/// Returns what each engine does over time: an overview of all, and some hundred orders of its
/// middle.
std::string timelineSvg(const SimulationReport &report);

} // namespace kgen
