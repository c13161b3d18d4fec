// A graph in parts: those that a graphics card computes, and those that the CPU does.
#pragma once

#include "graph/Graph.h"

#include <set>

namespace kgen {

/// Nodes that run one after the other on the same device. It is a graph of its own.
struct GraphPart {
  bool isOnCpu = false;
  Graph graph;
  /// Of the whole graph: what the part's inputs are, and its outputs.
  std::vector<ValueId> inputs, outputs;
  /// Of each output its number among the whole graph's; nothing: only other parts read it.
  std::vector<std::optional<size_t>> results;
};

struct CutGraph {
  const Graph *whole = nullptr;
  std::vector<GraphPart> parts; ///< in the order in which they run; empty: the card computes all

  bool isCut() const { return !parts.empty(); }
};

/// Cuts a graph at the nodes that the CPU computes: a part takes all nodes that can run at a time,
/// so that there are as few as the order of the two devices allows. The graph has to live as long.
/// `isTaken`: names that a part's graph cannot have.
CutGraph cutGraph(const Graph &graph, const std::set<std::string> &onCpu,
                  const std::set<std::string> &isTaken);

/// All graphs of a library; `onCpu` by graph. Graphs for the CPU are called "forward_cpu1".
std::vector<CutGraph> cutGraphs(const std::vector<Graph> &graphs,
                                const std::map<std::string, std::set<std::string>> &onCpu);

/// The parts that the CPU computes, of all graphs.
std::vector<const GraphPart *> cpuPartsOf(const std::vector<CutGraph> &graphs);

} // namespace kgen
