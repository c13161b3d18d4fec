// A part of a model: from values that become inputs to values that become outputs.
#pragma once

#include "ingress/onnx/Import.h"
#include "ingress/onnx/Model.h"

namespace kgen::onnx {

/// Leaves the nodes, initializers and inputs of the model's graph that `outputs` depend on, up to
/// `inputs`, which become inputs of the graph; empty lists: the model's own. Reports names that the
/// graph does not have.
void cutModel(Model &model, const std::vector<std::string> &inputs,
              const std::vector<std::string> &outputs, Diagnostics &diagnostics);

/// True if the node becomes a call of the function.
bool isCallOf(const ExternChoice &choice, const NodeProto &node);

} // namespace kgen::onnx
