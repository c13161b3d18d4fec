// The tables of numerics/ops and numerics/graphs: one node, or a graph of several, with its inputs,
// expected results and tolerance per case.
#pragma once

#include "graph/Graph.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgen::tests {

struct CaseTensor {
  TensorType type;
  std::vector<char> bytes;
};

struct CaseInput {
  bool skipped = false;
  int sameAs = -1; ///< the same tensor as an earlier input
  CaseTensor tensor;
};

/// A node of a case that is a graph. Its inputs are results of nodes or x0, x1, ... : the case's
/// inputs by position.
struct CaseNode {
  std::string name, op;
  std::vector<std::string> inputs;
  std::map<std::string, AttributeValue> attributes;
  std::vector<std::string> outputs; ///< empty: one, called like the node
};

struct OperatorCase {
  std::string op,
      name; ///< `op`: the node's operator, or what the graphs of the table have in common
  bool isByHand = false; ///< small, and checked by hand
  std::map<std::string, AttributeValue> attributes;
  std::vector<CaseNode> nodes;               ///< of a graph
  std::vector<std::string> outputs;          ///< of a graph; empty: one node, `op`, with all inputs
  ElementType compute = ElementType::f32;    ///< the graph's key
  ElementType accumulate = ElementType::f32; ///< the graph's key
  int64_t winograd = 0;                      ///< the graph's key
  std::vector<CaseInput> inputs;
  std::vector<size_t> weights;                  ///< inputs that are weights in every run
  std::map<size_t, BlockQuantization> quantize; ///< of weights
  std::vector<std::vector<size_t>>
      constants; ///< sets of inputs that are weights in a further run each
  std::vector<CaseTensor> expected;
  long ulps = 0;                           ///< or -1: `bounds`
  std::vector<std::vector<double>> bounds; ///< absolute error per element, by output
};

/// Reads a table, those of its cases last that are checked by hand. Throws std::runtime_error (or
/// yaml-cpp's) where it is malformed.
std::vector<OperatorCase> readCases(const std::filesystem::path &path);

/// The case as a graph, through the same front door as a user's spec; `weights` are the
/// inputs that are constants. Throws with the diagnostics if it is refused.
Graph caseGraph(const OperatorCase &operatorCase, const std::vector<size_t> &weights);

/// A case with a size that the function is given: dimensions of inputs that have the size of
/// dimension `axis` of the first input; -1 is the last one. Nothing if there is none, or the
/// operator takes a number there.
struct SymbolicCase {
  Graph graph;
  int64_t size; ///< at which the results are the expected ones
};
std::optional<SymbolicCase> symbolicCaseGraph(const OperatorCase &operatorCase,
                                              const std::vector<size_t> &weights, int64_t axis);

} // namespace kgen::tests
