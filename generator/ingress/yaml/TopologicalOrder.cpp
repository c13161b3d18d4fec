// Depth-first order with an explicit stack: a chain may have as many nodes as a file can hold.
#include "ingress/yaml/TopologicalOrder.h"

#include <algorithm>

namespace kgen {
namespace {

class Sorter {
public:
  Sorter(const std::vector<NodeSpec> &nodes, const NodeDependencies &dependencies,
         Diagnostics &diagnostics)
      : nodes(nodes), producers(dependencies.producers), diagnostics(diagnostics),
        state(nodes.size(), State::untouched) {}

  std::optional<std::vector<size_t>> sort() {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (state[i] == State::untouched)
        visit(i);
    if (cyclic)
      return std::nullopt;
    return std::move(order);
  }

private:
  enum class State { untouched, open, done };
  struct Frame {
    size_t node, next = 0;
  };

  void visit(size_t root) {
    push(root);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == producers[top.node].size()) {
        state[top.node] = State::done;
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      size_t producer = producers[top.node][top.next++];
      if (state[producer] == State::untouched)
        push(producer);
      else if (state[producer] == State::open)
        reportCycle(producer);
    }
  }

  void push(size_t node) {
    state[node] = State::open;
    stack.push_back({node});
  }

  /// The stack from `node` up is the cycle, each node reading the one above it.
  void reportCycle(size_t node) {
    cyclic = true;
    auto begin =
        std::find_if(stack.begin(), stack.end(), [&](const Frame &f) { return f.node == node; });
    std::string path;
    size_t shown = 0;
    for (auto it = begin; it != stack.end() && shown < 8; ++it, ++shown)
      path += "'" + nodes[it->node].name.value + "' needs ";
    if (static_cast<size_t>(stack.end() - begin) > shown)
      path += "... needs ";
    diagnostics.error(nodes[node].name.where,
                      "the nodes form a cycle: " + path + "'" + nodes[node].name.value + "'");
  }

  const std::vector<NodeSpec> &nodes;
  const std::vector<std::vector<size_t>> &producers;
  Diagnostics &diagnostics;
  std::vector<State> state;
  std::vector<Frame> stack;
  std::vector<size_t> order;
  bool cyclic = false;
};
} // namespace

std::optional<std::vector<size_t>> topologicalOrder(const std::vector<NodeSpec> &nodes,
                                                    const NodeDependencies &dependencies,
                                                    Diagnostics &diagnostics) {
  return Sorter(nodes, dependencies, diagnostics).sort();
}

} // namespace kgen
