// The last steps of an import: what is not needed goes, and names become C identifiers.
#pragma once

#include "graph/Graph.h"
#include "ingress/onnx/onnx.pb.h"

#include <map>
#include <string>

namespace kgen::onnx {

/// Sources of names.
struct NameSource {
  const std::map<ValueId, std::string> &names; ///< in the model
  const std::string &library;                  ///< names of inputs and outputs are not its own
  const std::string &path;                     ///< of the model
};

/// The graph without values and nodes that no result depends on. Names are unique C identifiers
/// that resemble the model's; `original` gets those that had to change. An input that nobody reads
/// is left out with a warning.
Graph finishGraph(const Graph &graph, const NameSource &source,
                  std::map<std::string, std::string> &original, Diagnostics &diagnostics);

/// A node of a function's body, with what its attributes refer to: those of the call, or the
/// function's defaults.
NodeProto withAttributes(const NodeProto &node, const NodeProto &call,
                         const FunctionProto &function);

/// All elements of the type are the number.
WeightData filledData(const TensorType &type, double number);

} // namespace kgen::onnx
