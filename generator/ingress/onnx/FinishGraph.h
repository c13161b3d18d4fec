// The last steps of an import: what is not needed goes, and names become C identifiers.
#pragma once

#include "graph/Graph.h"
#include "ingress/onnx/onnx.pb.h"

#include <map>
#include <string>

namespace kgen::onnx {

/// The graph without values and nodes that no result depends on, with names from `names`: unique C
/// identifiers that resemble them. `original` gets those that had to change. An input that nobody
/// reads is left out with a warning.
Graph finishGraph(const Graph &graph, const std::map<ValueId, std::string> &names,
                  std::map<std::string, std::string> &original, const std::string &path,
                  Diagnostics &diagnostics);

/// "/encoder/layer.0/MatMul_output_0" -> "encoder_layer_0_MatMul_output_0".
std::string identifierOf(const std::string &name);

/// A node of a function's body, with what its attributes refer to: those of the call, or the
/// function's defaults.
NodeProto withAttributes(const NodeProto &node, const NodeProto &call,
                         const FunctionProto &function);

/// All elements of the type are the number.
WeightData filledData(const TensorType &type, double number);

} // namespace kgen::onnx
