// The order of a graph's nodes.
#pragma once

#include "ingress/onnx/onnx.pb.h"

#include <vector>

namespace kgen::onnx {

/// The nodes, each after those whose results it reads, or a graph of its own: ONNX demands that of
/// files, but not all that write them do it. Nodes that wait for each other come last, as they are
/// listed.
std::vector<const NodeProto *> inOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes);

} // namespace kgen::onnx
