#include "graph/StateRoom.h"

#include "graph/ElementTerms.h"
#include "graph/Operator.h"

#include <algorithm>
#include <set>

namespace kgen {
namespace {

constexpr size_t largestTerm = 300; ///< parts of a position, which becomes text

/// Parts of a term, as often as its text has them; more than `most` may be any number.
size_t partsOf(const ElementTerm &term, size_t most) {
  size_t parts = 1;
  for (const ElementTermPtr &operand : term.operands)
    if (parts <= most)
      parts += partsOf(*operand, most - parts);
  return parts;
}

/// Bounds of a position that no input has part in; nothing if they are not known.
std::optional<DimBounds> boundsOf(const ElementTerm &term, const std::vector<ElementLoop> &loops) {
  using Kind = ElementTerm::Kind;
  if (term.kind == Kind::size)
    return term.size.bounds();
  if (term.kind == Kind::listed) {
    auto [min, max] = std::minmax_element(term.list.begin(), term.list.end());
    return DimBounds{*min, *max};
  }
  if (term.kind == Kind::counter) {
    auto loop = std::find_if(loops.begin(), loops.end(),
                             [&](const ElementLoop &each) { return each.counter == term.number; });
    if (loop != loops.end())
      return DimBounds{0, loop->count.bounds().max - 1};
  }
  if (term.kind != Kind::sum)
    return std::nullopt;
  std::optional<DimBounds> left = boundsOf(*term.operands[0], loops),
                           right = boundsOf(*term.operands[1], loops);
  return left && right ? std::optional(DimBounds{left->min + right->min, left->max + right->max})
                       : std::nullopt;
}

/// True if all positions have room, whatever the inputs are.
bool hasRoom(const StateRoom &room) {
  std::optional<DimBounds> bounds = boundsOf(*room.position, room.loops);
  return bounds && bounds->min >= 0 && bounds->max <= (room.capacity - room.rows).bounds().min;
}

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
      if (node.op->name == "TensorScatter" && isText(node, "mode", "linear") && isState(node))
        addRows(node, rooms);
      else if (node.op->name == "ScatterND" && isState(node))
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
    const Dim count = graph.values[node.inputs[Operand::rows]].type.shape.dim(at);
    StateRoom room{{}, nullptr, count, whole.dim(at)};
    ElementTerms terms(graph);
    const ValueId first = node.inputs[positions];
    Subscripts each = terms.everyElement(graph.values[first].type.shape, room.loops);
    room.position = terms.elementAt(first, each);
    add(std::move(room), rooms);
  }

  /// Of the state's first dimensions: what is written at each of some tuples of positions.
  void addElements(const Node &node, std::vector<StateRoom> &rooms) const {
    enum Element : size_t { data, indices };
    const TensorShape &tuples = graph.values[node.inputs[indices]].type.shape;
    std::optional<int64_t> length = tuples.dim(tuples.size() - 1).number();
    for (int64_t i = 0; i < length.value_or(0); ++i) {
      StateRoom room{{},
                     nullptr,
                     1,
                     graph.values[node.inputs[data]].type.shape.dim(size_t(i)),
                     /*countsFromEnd=*/true};
      ElementTerms terms(graph);
      TensorShape outer = tuples;
      outer.pop_back();
      Subscripts each = terms.everyElement(outer, room.loops);
      each.push_back(sizeTerm(i));
      room.position = terms.elementAt(node.inputs[indices], each);
      add(std::move(room), rooms);
    }
  }

  static void add(StateRoom room, std::vector<StateRoom> &rooms) {
    if (room.position && partsOf(*room.position, largestTerm) <= largestTerm && !hasRoom(room))
      rooms.push_back(std::move(room));
  }

  bool isState(const Node &node) const {
    std::optional<size_t> input = inputOf(node.inputs[cache]);
    return input && std::any_of(graph.states.begin(), graph.states.end(),
                                [&](const GraphState &state) { return state.input == input; });
  }

  /// The graph's input that a value is, or was before it was updated.
  std::optional<size_t> inputOf(ValueId value) const {
    static const std::set<std::string> updates{"TensorScatter", "ScatterND", "Identity"};
    while (const Node *node = producers[value]) {
      if (!updates.count(node->op->name))
        return std::nullopt;
      value = node->inputs.front();
    }
    auto found = std::find(graph.inputs.begin(), graph.inputs.end(), value);
    return found == graph.inputs.end() ? std::nullopt
                                       : std::optional<size_t>(found - graph.inputs.begin());
  }

  const Graph &graph;
  std::vector<const Node *> producers;
};

} // namespace

std::vector<StateRoom> stateRooms(const Graph &graph) { return RoomFinder(graph).find(); }

} // namespace kgen
