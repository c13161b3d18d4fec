// The tensors that a user gives for a graph, checked against its types.
#pragma once

#include "driver/load/Sizes.h"
#include "driver/run/TensorFiles.h"

#include <map>
#include <set>

namespace kgen {

struct GivenValues {
  /// As the graph declares them. With frames, outputs may be missing, and inputs that are state
  /// have no axis of calls.
  std::vector<GivenTensor> inputs;
  std::vector<std::optional<GivenTensor>> outputs;
  std::map<std::string, GivenTensor> results; ///< of nodes, that are no outputs
  SizeValues sizes;              ///< that the arrays have, of a graph that is given some
  std::optional<int64_t> frames; ///< the leading axis of all arrays but those of state

  int64_t calls() const { return frames.value_or(1); }
};

/// The bytes of one call of a tensor whose type is `type`, without the axis of calls.
inline const char *bytesOfFrame(const GivenTensor &tensor, const TensorType &type, int64_t frame) {
  bool hasFrames = tensor.type.shape.size() > type.shape.size();
  return tensor.bytes.data() + (hasFrames ? frame * type.byteCount() : 0);
}

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
/// rounded to it. With `frames`, arrays have an axis of calls; what `states` are before the first
/// one may be given by their names.
struct GivenRequest {
  const std::string &path;
  const GraphInterface &graph;
  const InnerValues &inner;
  const std::vector<StateInterface> &states;
  bool frames = false;
  bool needsOutputs = true; ///< nothing else says what is expected
};
std::optional<GivenValues> readGivenValues(const GivenRequest &request,
                                           std::vector<std::string> &notes,
                                           Diagnostics &diagnostics);

} // namespace kgen
