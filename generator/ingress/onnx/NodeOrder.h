// The order of a graph's nodes.
#pragma once

#include "ingress/onnx/onnx.pb.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace kgen::onnx {

/// The names that a node reads, in its subgraphs, too, but for those that these define.
std::unordered_set<std::string> namesRead(const NodeProto &node);

/// The nodes, each after those whose results it reads, or a graph of its own: ONNX demands that of
/// files, but not all that write them do it.
struct NodeOrder {
  std::vector<const NodeProto *> nodes;
  /// Nodes of which each reads a result of the one before, and the first of the last; empty: there
  /// are none. They, and what waits for them, are not among `nodes`.
  std::vector<const NodeProto *> cycle{};
};
NodeOrder inOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes);

} // namespace kgen::onnx
