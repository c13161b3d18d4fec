// Inputs and outputs of a model that become state.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// An input of a model, and the output that is its value in the next call.
struct StatePair {
  std::string input, output;
};

/// Makes a state of each pair, by names of the graph or of the model (`original`, by those of the
/// graph). Reports names that there are not, types that differ, and sizes that are no numbers.
void makeStates(const std::vector<StatePair> &pairs,
                const std::map<std::string, std::string> &original, const std::string &path,
                Graph &graph, Diagnostics &diagnostics);

} // namespace kgen
