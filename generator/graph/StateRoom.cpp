#include "graph/StateRoom.h"

#include "graph/Operator.h"

#include <algorithm>
#include <cstring>
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
        addRows(node, rooms);
      else if (node.op->name == "ScatterND")
        addElements(node, rooms);
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

  void addRows(const Node &node, std::vector<StateRoom> &rooms) const {
    if (node.inputs.size() <= positions || node.inputs[positions] == noValue)
      return;
    const TensorShape &whole = graph.values[node.inputs[cache]].type.shape;
    const auto axis = std::get<int64_t>(node.attributes.at("axis"));
    const auto at = static_cast<size_t>(axis < 0 ? axis + int64_t(whole.size()) : axis);
    add(node, node.inputs[positions], graph.values[node.inputs[Operand::rows]].type.shape.dim(at),
        whole.dim(at), rooms);
  }

  /// Of a state's first dimension: rows, one at each of some positions.
  void addElements(const Node &node, std::vector<StateRoom> &rooms) const {
    enum Element : size_t { data, indices };
    const TensorShape &at = graph.values[node.inputs[indices]].type.shape;
    if (at.dim(at.size() - 1) == Dim(1))
      add(node, node.inputs[indices], 1, graph.values[node.inputs[data]].type.shape.dim(0), rooms);
  }

  void add(const Node &node, ValueId at, const Dim &written, const Dim &capacity,
           std::vector<StateRoom> &rooms) const {
    if (!isState(node))
      return;
    std::optional<Position> first = positionOf(at, capacity - written);
    if (first && (written + first->added).bounds().min >= 0)
      rooms.push_back({first->input, written + first->added, capacity});
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

  /// An input of the graph, and what is added to its elements.
  struct Position {
    size_t input;
    Dim added;
  };

  /// `last` is the last one that has room.
  std::optional<Position> positionOf(ValueId value, const Dim &last) const {
    Dim added = 0;
    while (const Node *node = producers[value]) {
      if (sameNumbers.count(node->op->name)) {
        value = node->inputs.front();
        continue;
      }
      std::optional<Operation> operation = operationOf(*node);
      if (!operation)
        return std::nullopt;
      const std::string &op = node->op->name;
      const bool isAdded = op == "Add" || op == "Sub";
      if (!isAdded && (last - operation->number - added).bounds().min < 0)
        return std::nullopt; // the number has no room
      if (isAdded)
        added = op == "Add" ? added + operation->number : added - operation->number;
      value = operation->other;
    }
    const ElementType element = graph.values[value].type.element;
    std::optional<size_t> input = inputOf(value, {});
    const bool isPosition = element == ElementType::i64 || element == ElementType::i32;
    return input && isPosition ? std::optional(Position{*input, added}) : std::nullopt;
  }

  /// A node that computes with a number, or a size, and another value.
  struct Operation {
    ValueId other;
    Dim number;
  };

  /// Of Add and Max, and of Sub, whose second operand is the number; that is for each element of
  /// the other operand, or the greatest for the only one.
  std::optional<Operation> operationOf(const Node &node) const {
    const std::string &op = node.op->name;
    if ((op != "Add" && op != "Sub" && op != "Max") || node.inputs.size() != 2)
      return std::nullopt;
    for (size_t i = op == "Sub" ? 1 : 0; i < 2; ++i) {
      const GraphValue &value = graph.values[node.inputs[i]],
                       &other = graph.values[node.inputs[1 - i]];
      const bool isOne = value.type.shape.elements() == Dim(1);
      const bool isForAll = isOne || (op == "Add" && other.type.shape.elements() == Dim(1));
      std::optional<Dim> number = isForAll ? numberOf(node.inputs[i]) : std::nullopt;
      if (number)
        return Operation{node.inputs[1 - i], *number};
    }
    return std::nullopt;
  }

  /// The greatest element of a weight, or a size that the graph counts: the sum of as many ones.
  std::optional<Dim> numberOf(ValueId value) const {
    constexpr int64_t most = 1 << 20; // no sum of some of them overflows
    if (const Node *sum = producers[value]) {
      const Node *ones = sum->op->name == "ReduceSum" && sum->inputs.size() == 1
                             ? producers[sum->inputs.front()]
                             : nullptr;
      const bool isCount = ones && ones->op->name == "Expand" &&
                           greatestOf(graph.values[ones->inputs.front()]) == 1 &&
                           graph.values[ones->inputs.front()].type.shape.elements() == Dim(1);
      return isCount ? std::optional(graph.values[sum->inputs.front()].type.shape.elements())
                     : std::nullopt;
    }
    std::optional<int64_t> number = greatestOf(graph.values[value]);
    const bool isSmall = number && *number >= 0 && *number <= most;
    return isSmall ? std::optional(Dim(*number)) : std::nullopt;
  }

  /// The greatest element of a weight of 64 bits.
  static std::optional<int64_t> greatestOf(const GraphValue &value) {
    if (value.kind != ValueKind::weight || !value.data || value.data->empty() ||
        value.type.element != ElementType::i64)
      return std::nullopt;
    std::vector<int64_t> numbers(value.data->size() / sizeof(int64_t));
    std::memcpy(numbers.data(), value.data->data(), value.data->size());
    return *std::max_element(numbers.begin(), numbers.end());
  }

  inline static const std::set<std::string> updates{"TensorScatter", "ScatterND", "Identity"};
  inline static const std::set<std::string> sameNumbers{
      "Cast", "Expand", "Identity", "Reshape", "Unsqueeze", "Squeeze", "Flatten", "Tile"};

  const Graph &graph;
  std::vector<const Node *> producers;
};

} // namespace

std::vector<StateRoom> stateRooms(const Graph &graph) { return RoomFinder(graph).find(); }

} // namespace kgen
