// A graph as its operators lower it.
#pragma once

#include "graph/Graph.h"
#include "target/TargetSpec.h"

/// Returns x86-64-v3.
const kgen::TargetSpec &targetOfFuzzers();

/// Lowers the nodes of a graph for x86-64-v3. Aborts where that fails: the graph was accepted.
void requireLowered(const kgen::Graph &graph);
