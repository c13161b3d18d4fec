// The operator tables of tests/ops: one node with its inputs, expected results and tolerance per
// case.
#pragma once

#include "graph/Graph.h"

#include <filesystem>
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

struct OperatorCase {
  std::string op, name;
  std::map<std::string, AttributeValue> attributes;
  std::vector<CaseInput> inputs;
  std::vector<size_t> weights; ///< inputs that are weights in every run
  std::vector<std::vector<size_t>>
      constants; ///< sets of inputs that are weights in a further run each
  std::vector<CaseTensor> expected;
  long ulps = 0;                           ///< or -1: `bounds`
  std::vector<std::vector<double>> bounds; ///< absolute error per element, by output
};

/// Reads a table; throws std::runtime_error (or yaml-cpp's) where it is malformed.
std::vector<OperatorCase> readCases(const std::filesystem::path &path);

/// The case as a graph of one node, through the same front door as a user's spec; `weights` are the
/// inputs that are constants. Throws with the diagnostics if it is refused.
Graph caseGraph(const OperatorCase &operatorCase, const std::vector<size_t> &weights);

} // namespace kgen::tests
