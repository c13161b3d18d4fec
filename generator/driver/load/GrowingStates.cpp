#include "driver/load/GrowingStates.h"

#include "ops/Registry.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Puts slices of the cache in the place of what Concat makes of it.
class CacheMaker {
public:
  CacheMaker(Graph &graph, ValueId cache, size_t axis)
      : graph(graph), cache(cache), axis(axis), name(graph.values[cache].name),
        filled(graph.values[cache].type.shape.dim(axis)) {}

  void run(size_t output, size_t concat) {
    const ValueId present = graph.outputs[output];
    const Dim after = graph.values[present].type.shape.dim(axis);
    const Dim capacity = filled.bounds().max + (after - filled).bounds().max;
    start = sizes("_start", 0);
    axes = sizes("_axis", int64_t(axis));
    const ValueId added = graph.nodes[concat].inputs[1];
    const SourceLoc where = graph.nodes[concat].where;
    const ValueId atFilled = sizes("_filled", filled), atAfter = sizes("_after", after),
                  atEnd = sizes("_capacity", capacity);
    ValueId before = result("_before", filled), rest = result("_rest", capacity - after),
            whole = result("_next", capacity);
    graph.values[cache].type = graph.values[whole].type;
    graph.values[cache].dimNames.clear();
    for (Node &node : graph.nodes)
      std::replace(node.inputs.begin(), node.inputs.end(), cache, before);
    graph.nodes[concat] = slice(whole, start, atAfter, present, where);
    Node join = node("Concat", {before, added, rest}, whole, where);
    join.attributes["axis"] = int64_t(axis);
    graph.nodes.insert(graph.nodes.begin() + concat,
                       {slice(cache, atAfter, atEnd, rest, where), std::move(join)});
    graph.nodes.insert(graph.nodes.begin(), slice(cache, start, atFilled, before, where));
    graph.outputs[output] = whole;
  }

private:
  std::string freshName(const std::string &ending) const {
    std::string fresh = name + ending;
    auto isTaken = [&](const GraphValue &value) { return value.name == fresh; };
    while (llvm::any_of(graph.values, isTaken))
      fresh += "_";
    return fresh;
  }

  ValueId add(GraphValue value) {
    value.where = graph.values[cache].where;
    graph.values.push_back(std::move(value));
    return static_cast<ValueId>(graph.values.size() - 1);
  }

  /// One number of 64 bits.
  ValueId sizes(const std::string &ending, const Dim &size) {
    GraphValue value;
    value.name = freshName(ending);
    value.type = {ElementType::i64, {1}};
    value.kind = ValueKind::sizes;
    value.sizes = {size};
    return add(std::move(value));
  }

  /// A tensor with so much along the axis.
  ValueId result(const std::string &ending, const Dim &size) {
    GraphValue value;
    value.name = freshName(ending);
    value.type = graph.values[cache].type;
    value.type.shape.setDim(axis, size);
    value.kind = ValueKind::result;
    return add(std::move(value));
  }

  Node node(const std::string &op, std::vector<ValueId> inputs, ValueId output,
            const SourceLoc &where) const {
    Node made;
    made.name = graph.values[output].name;
    made.op = builtInOperators().find(op);
    made.inputs = std::move(inputs);
    made.outputs = {output};
    made.where = where;
    return made;
  }

  Node slice(ValueId of, ValueId from, ValueId to, ValueId output, const SourceLoc &where) const {
    return node("Slice", {of, from, to, axes}, output, where);
  }

  Graph &graph;
  ValueId cache, start = noValue, axes = noValue;
  size_t axis;
  std::string name;
  Dim filled; ///< rows of the cache before a call
};

} // namespace

std::optional<size_t> growingAxis(const Graph &graph, ValueId input, ValueId output) {
  const TensorType &before = graph.values[input].type, &after = graph.values[output].type;
  if (before.element != after.element || before.shape.size() != after.shape.size())
    return std::nullopt;
  std::optional<size_t> axis;
  for (size_t i = 0; i < before.shape.size(); ++i) {
    if (before.shape.dim(i) == after.shape.dim(i))
      continue;
    const Dim more = after.shape.dim(i) - before.shape.dim(i);
    if (axis || before.shape.dim(i).isNumber() || more.bounds().min < 0)
      return std::nullopt;
    axis = i;
  }
  return axis;
}

std::string growInPlace(Graph &graph, ValueId input, size_t output, size_t axis) {
  const ValueId present = graph.outputs[output];
  auto made = llvm::find_if(
      graph.nodes, [&](const Node &node) { return llvm::is_contained(node.outputs, present); });
  if (made == graph.nodes.end() || made->op->name != "Concat" || made->inputs.size() != 2 ||
      made->inputs.front() != input)
    return "the output is longer than the input, and it is not made by Concat of the input and new "
           "rows";
  CacheMaker(graph, input, axis).run(output, size_t(made - graph.nodes.begin()));
  return "";
}

} // namespace kgen
