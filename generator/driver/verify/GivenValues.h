// The tensors that a user gives for a graph, checked against its types.
#pragma once

#include "driver/load/Sizes.h"
#include "driver/run/TensorFiles.h"

#include <map>
#include <set>

namespace kgen {

struct GivenValues {
  std::vector<GivenTensor> inputs, outputs;   ///< as the graph declares them
  std::map<std::string, GivenTensor> results; ///< of nodes, that are no outputs
  SizeValues sizes; ///< that the arrays have, of a graph that is given some
};

/// Values of a graph besides inputs and outputs.
struct InnerValues {
  bool areKnown = false; ///< not those of a generated library
  std::map<std::string, TensorType> results;
  std::set<std::string> weights;
  std::map<std::string, std::string> modelNames; ///< names in the graph by those in its model
  std::set<std::string> severalOf; ///< names that several values have in the model: in branches
};

/// Reads all inputs and outputs, and results as far as they are given. Everything that is wrong is
/// reported: what is missing, has another type or shape or a name that the graph does not know.
/// Sizes that the graph's function is given are those of arrays that have them as dimensions.
/// Names that it may know, and weights, are in `notes`. NumPy has no bf16: an array of f32 is
/// rounded to it.
std::optional<GivenValues> readGivenValues(const std::string &path, const GraphInterface &graph,
                                           const InnerValues &inner,
                                           std::vector<std::string> &notes,
                                           Diagnostics &diagnostics);

} // namespace kgen
