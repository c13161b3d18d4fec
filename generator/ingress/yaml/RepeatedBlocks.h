// Blocks of nodes that a graph repeats, such as the layers of a transformer: a spec has them as
// modules.
#pragma once

#include "graph/Graph.h"

#include <map>
#include <string>
#include <vector>

namespace kgen {

/// Consecutive nodes that occur several times with the same operators, attributes, types and
/// dataflow. Lists of a use have the same order in all uses.
struct RepeatedBlock {
  struct Use {
    size_t first = 0;             ///< index of its first node
    std::string name;             ///< what the names of its tensors begin with
    std::vector<ValueId> inputs;  ///< what it reads of the graph: shared weights, too
    std::vector<ValueId> weights; ///< what nobody else reads
    std::vector<ValueId> outputs; ///< what others read
  };

  size_t length = 0; ///< in nodes
  std::vector<Use> uses;
  /// Results of a use are the first inputs of the next one and read by nobody else, other inputs
  /// are the same in all uses.
  bool isChain = false;

  std::string module; ///< its name
  /// Names inside of the module; of nodes' results, by that of the first use.
  std::vector<std::string> nodeNames, inputNames, weightNames;
  std::map<ValueId, std::string> resultNames;

  /// Returns what operand `k` of node `i` is in each use.
  std::vector<ValueId> operands(const Graph &graph, size_t i, size_t k) const;
};

/// Those that shorten the spec most, without overlap, in their order. They have no names yet.
std::vector<RepeatedBlock> findRepeatedBlocks(const Graph &graph);

/// Names the blocks, and tensors and nodes of their uses as a spec with modules does: like the use,
/// and like those of the module. Names that are so already stay, as do those of a graph's inputs
/// and outputs.
void nameBlocks(Graph &graph, std::vector<RepeatedBlock> &blocks);

} // namespace kgen
