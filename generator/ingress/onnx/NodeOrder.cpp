#include "ingress/onnx/NodeOrder.h"

#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kgen::onnx {
namespace {

/// The names that a node reads, in its subgraphs, too, but for those that these define.
std::unordered_set<std::string> namesRead(const NodeProto &node) {
  std::unordered_set<std::string> read(node.input().begin(), node.input().end()), defined;
  std::vector<const GraphProto *> graphs;
  auto addGraphs = [&](const NodeProto &of) {
    for (const AttributeProto &attribute : of.attribute()) {
      if (attribute.has_g())
        graphs.push_back(&attribute.g());
      for (const GraphProto &graph : attribute.graphs())
        graphs.push_back(&graph);
    }
  };
  std::unordered_set<std::string> inside;
  addGraphs(node);
  while (!graphs.empty()) {
    const GraphProto &graph = *graphs.back();
    graphs.pop_back();
    for (const ValueInfoProto &input : graph.input())
      defined.insert(input.name());
    for (const TensorProto &initializer : graph.initializer())
      defined.insert(initializer.name());
    for (const ValueInfoProto &output : graph.output())
      inside.insert(output.name());
    for (const NodeProto &inner : graph.node()) {
      inside.insert(inner.input().begin(), inner.input().end());
      defined.insert(inner.output().begin(), inner.output().end());
      addGraphs(inner);
    }
  }
  for (const std::string &name : inside)
    if (defined.count(name) == 0)
      read.insert(name);
  return read;
}

} // namespace

std::vector<const NodeProto *> inOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes) {
  std::unordered_map<std::string, int> producers;
  for (int i = 0; i < nodes.size(); ++i)
    for (const std::string &output : nodes[i].output())
      if (!output.empty())
        producers.try_emplace(output, i);
  std::vector<std::vector<int>> readers(static_cast<size_t>(nodes.size()));
  std::vector<size_t> missing(static_cast<size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) {
    std::unordered_set<int> read;
    for (const std::string &name : namesRead(nodes[i]))
      if (auto producer = producers.find(name); producer != producers.end())
        read.insert(producer->second);
    missing[static_cast<size_t>(i)] = read.size();
    for (int producer : read)
      readers[static_cast<size_t>(producer)].push_back(i);
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready; // the first that is listed
  for (int i = 0; i < nodes.size(); ++i)
    if (missing[static_cast<size_t>(i)] == 0)
      ready.push(i);
  std::vector<const NodeProto *> order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.push_back(&nodes[next]);
    for (int reader : readers[static_cast<size_t>(next)])
      if (--missing[static_cast<size_t>(reader)] == 0)
        ready.push(reader);
  }
  for (int i = 0; i < nodes.size(); ++i)
    if (missing[static_cast<size_t>(i)] != 0)
      order.push_back(&nodes[i]);
  return order;
}

} // namespace kgen::onnx
