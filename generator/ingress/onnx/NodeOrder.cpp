#include "ingress/onnx/NodeOrder.h"

#include <algorithm>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace kgen::onnx {

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

/// Goes from a node that waits to one that it waits for until it comes back.
static std::vector<const NodeProto *>
cycleIn(const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
        const std::unordered_map<std::string, int> &producers, const std::vector<size_t> &missing,
        int waiting) {
  std::vector<int> path;
  for (int at = waiting; std::find(path.begin(), path.end(), at) == path.end();) {
    path.push_back(at);
    for (const std::string &name : namesRead(nodes[at]))
      if (auto producer = producers.find(name);
          producer != producers.end() && missing[static_cast<size_t>(producer->second)] != 0) {
        waiting = producer->second;
        break;
      }
    at = waiting;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), waiting));
  std::reverse(path.begin(), path.end());
  std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
  std::vector<const NodeProto *> cycle;
  for (int at : path)
    cycle.push_back(&nodes[at]);
  return cycle;
}

NodeOrder inOrder(const google::protobuf::RepeatedPtrField<NodeProto> &nodes) {
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
  NodeOrder order;
  while (!ready.empty()) {
    int next = ready.top();
    ready.pop();
    order.nodes.push_back(&nodes[next]);
    for (int reader : readers[static_cast<size_t>(next)])
      if (--missing[static_cast<size_t>(reader)] == 0)
        ready.push(reader);
  }
  for (int i = 0; i < nodes.size() && order.cycle.empty(); ++i)
    if (missing[static_cast<size_t>(i)] != 0)
      order.cycle = cycleIn(nodes, producers, missing, i);
  return order;
}

} // namespace kgen::onnx
