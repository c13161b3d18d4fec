#include "graph/StateRoom.h"

#include "graph/Operator.h"

#include <set>

namespace kgen {
namespace {

class RoomFinder {
public:
  explicit RoomFinder(const Graph &graph) : graph(graph), producers(graph.values.size()) {
    for (const Node &node : graph.nodes)
      for (ValueId output : node.outputs)
        if (output != noValue)
          producers[output] = &node;
  }

  std::vector<StateRoom> find() const {
    std::vector<StateRoom> rooms;
    for (const Node &node : graph.nodes)
      if (node.op->name == "TensorScatter" && isText(node, "mode", "linear"))
        addRoom(node, rooms);
    return rooms;
  }

private:
  enum Operand : size_t { cache, rows, positions };

  static bool isText(const Node &node, const std::string &name, const std::string &value) {
    auto found = node.attributes.find(name);
    const auto *text =
        found == node.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text && *text == value;
  }

  void addRoom(const Node &node, std::vector<StateRoom> &rooms) const {
    if (node.inputs.size() <= positions || node.inputs[positions] == noValue || !isState(node))
      return;
    std::optional<size_t> input = inputOf(node.inputs[positions], sameNumbers);
    if (!input)
      return;
    const TensorShape &whole = graph.values[node.inputs[cache]].type.shape;
    const auto axis = std::get<int64_t>(node.attributes.at("axis"));
    const auto at = static_cast<size_t>(axis < 0 ? axis + int64_t(whole.size()) : axis);
    rooms.push_back(
        {*input, graph.values[node.inputs[Operand::rows]].type.shape.dim(at), whole.dim(at)});
  }

  bool isState(const Node &node) const {
    std::optional<size_t> input = inputOf(node.inputs[cache], updates);
    return input && std::any_of(graph.states.begin(), graph.states.end(),
                                [&](const GraphState &state) { return state.input == input; });
  }

  /// The graph's input that a value is what `operators` make of.
  std::optional<size_t> inputOf(ValueId value, const std::set<std::string> &operators) const {
    while (const Node *node = producers[value]) {
      if (!operators.count(node->op->name))
        return std::nullopt;
      value = node->inputs.front();
    }
    auto found = std::find(graph.inputs.begin(), graph.inputs.end(), value);
    return found == graph.inputs.end() ? std::nullopt
                                       : std::optional<size_t>(found - graph.inputs.begin());
  }

  inline static const std::set<std::string> updates{"TensorScatter", "Identity"};
  inline static const std::set<std::string> sameNumbers{
      "Expand", "Identity", "Reshape", "Unsqueeze", "Squeeze", "Flatten", "Tile"};

  const Graph &graph;
  std::vector<const Node *> producers;
};

} // namespace

std::vector<StateRoom> stateRooms(const Graph &graph) { return RoomFinder(graph).find(); }

} // namespace kgen
