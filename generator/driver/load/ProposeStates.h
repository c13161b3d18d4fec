// Inputs and outputs of a model that look as if a caller carries one to the other.
#pragma once

#include "driver/load/MakeStates.h"

#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct ProposedState {
  StatePair pair;                ///< by names of the model, if it has others than the graph
  std::optional<size_t> growing; ///< the axis that grows by the length of the call
};

/// Pairs of equal element type whose names differ by words such as past, present, next or n only,
/// with equal shapes, or with one axis that grows by the length of the call: an axis of an input
/// that is none of them. A name that has several partners has none; and if the pairs leave no
/// other input or no other output, there are none.
std::vector<ProposedState> proposeStates(const Graph &graph,
                                         const std::map<std::string, std::string> &original);

} // namespace kgen
