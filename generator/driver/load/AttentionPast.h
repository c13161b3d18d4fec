// Caches that an Attention makes longer itself.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// Puts nodes that do the same in the place of an Attention with a past: a Concat each of the past
/// and the new keys, and values, and an Attention of all of them, whose queries are the last ones.
void separatePast(Graph &graph, size_t attention);

} // namespace kgen
