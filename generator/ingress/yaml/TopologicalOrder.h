// Nodes of a spec in an order in which each comes after what it reads.
#pragma once

#include "spec/Spec.h"

#include <optional>
#include <vector>

namespace kgen {

/// Producers and consumers, by index of node.
struct NodeDependencies {
  std::vector<std::vector<size_t>> producers; ///< producers[i]: nodes whose results node i reads
};

/// An order in which every node comes after its producers; nodes with several valid positions
/// keep the order of the file. A cycle is reported, naming its nodes, and nothing is returned.
std::optional<std::vector<size_t>> topologicalOrder(const std::vector<NodeSpec> &nodes,
                                                    const NodeDependencies &dependencies,
                                                    Diagnostics &diagnostics);

} // namespace kgen
