#include "driver/load/GrowingStates.h"

#include "driver/load/AttentionPast.h"
#include "driver/load/NodeMaker.h"
#include "ops/sequence/AttentionShapes.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Puts the state of the greatest length in the place of the cache, and slices of it.
class CacheMaker {
public:
  CacheMaker(Graph &graph, ValueId cache, size_t output, size_t axis)
      : graph(graph), cache(cache), present(graph.outputs[output]), axis(axis),
        filled(graph.values[cache].type.shape.dim(axis)),
        after(graph.values[present].type.shape.dim(axis)),
        capacity(filled.bounds().max + (after - filled).bounds().max),
        maker(graph, graph.values[cache].name, graph.values[cache].where) {
    start = maker.sizes("_start", {0});
    axes = maker.sizes("_axis", {int64_t(axis)});
    atAfter = maker.sizes("_after", {after});
    whole = result("_next", capacity);
    graph.values[cache].type = graph.values[whole].type;
    graph.values[cache].dimNames.clear();
    graph.outputs[output] = whole;
  }

  /// `concat` makes the output of the cache and new rows.
  void join(size_t concat) {
    const ValueId added = graph.nodes[concat].inputs[1], before = result("_before", filled),
                  rest = result("_rest", capacity - after),
                  atEnd = maker.sizes("_capacity", {capacity});
    put(concat, {slice(cache, atAfter, atEnd, rest),
                 maker.node("Concat", {before, added, rest}, {whole}, {{"axis", int64_t(axis)}}),
                 slice(whole, start, atAfter, present)});
    readBefore(before, {rest});
  }

  /// `scatter` writes new rows into `concat`, which has made room for them.
  void write(size_t scatter, size_t concat) {
    Node written = graph.nodes[scatter];
    const ValueId room = written.inputs.front();
    written.inputs.front() = cache;
    written.outputs = {whole};
    written.name = graph.values[whole].name;
    put(scatter, {written, slice(whole, start, atAfter, present)});
    if (!isRead(room))
      graph.nodes.erase(graph.nodes.begin() + std::ptrdiff_t(concat));
    if (llvm::any_of(graph.nodes, [&](const Node &node) { return readsCache(node, {whole}); }))
      readBefore(result("_before", filled), {whole});
  }

private:
  bool isRead(ValueId value) const {
    return llvm::is_contained(graph.outputs, value) ||
           llvm::any_of(graph.nodes,
                        [&](const Node &node) { return llvm::is_contained(node.inputs, value); });
  }

  /// True if the node reads the cache, and does not make one of `except`.
  bool readsCache(const Node &node, llvm::ArrayRef<ValueId> except) const {
    return llvm::is_contained(node.inputs, cache) &&
           !llvm::is_contained(except, node.outputs.front());
  }

  /// Makes `before` what is filled of the cache, and nodes read that in its place.
  void readBefore(ValueId before, llvm::ArrayRef<ValueId> except) {
    for (Node &node : graph.nodes)
      if (readsCache(node, except))
        std::replace(node.inputs.begin(), node.inputs.end(), cache, before);
    const ValueId atFilled = maker.sizes("_filled", {filled});
    graph.nodes.insert(graph.nodes.begin(), slice(cache, start, atFilled, before));
  }

  void put(size_t place, const std::vector<Node> &nodes) {
    graph.nodes.erase(graph.nodes.begin() + std::ptrdiff_t(place));
    graph.nodes.insert(graph.nodes.begin() + std::ptrdiff_t(place), nodes.begin(), nodes.end());
  }

  /// A tensor with so much along the axis.
  ValueId result(const std::string &ending, const Dim &size) {
    TensorType type = graph.values[present].type;
    type.shape.setDim(axis, size);
    return maker.result(ending, type);
  }

  Node slice(ValueId of, ValueId from, ValueId to, ValueId output) const {
    return maker.node("Slice", {of, from, to, axes}, {output});
  }

  Graph &graph;
  ValueId cache, present;
  size_t axis;
  Dim filled, after, capacity; ///< rows of the cache before a call, and after it, and in all
  NodeMaker maker;
  ValueId start = noValue, axes = noValue, atAfter = noValue, whole = noValue;
};

/// True if the node makes one tensor of the input and of new rows.
bool isConcatOf(const Node &node, ValueId input) {
  return node.op->name == "Concat" && node.inputs.size() == 2 && node.inputs.front() == input;
}

/// Returns the place of the Concat of the input and new rows that TensorScatter writes these rows
/// into; nothing if the node is none.
std::optional<size_t> roomFor(const Graph &graph, const Node &node, ValueId input) {
  enum Operand : size_t { cache, rows };
  if (node.op->name != "TensorScatter")
    return std::nullopt;
  std::optional<size_t> room = producerOf(graph, node.inputs[cache]);
  const bool isRoom = room && isConcatOf(graph.nodes[*room], input) &&
                      graph.nodes[*room].inputs.back() == node.inputs[rows];
  return isRoom ? room : std::nullopt;
}

/// True if the node is an Attention that makes `present` of the input.
bool appends(const Node &node, ValueId input, ValueId present) {
  using namespace attention;
  auto isPair = [&](size_t past, size_t result) {
    return past < node.inputs.size() && node.inputs[past] == input &&
           result < node.outputs.size() && node.outputs[result] == present;
  };
  return node.op->name == "Attention" &&
         (isPair(pastKeys, presentKeys) || isPair(pastValues, presentValues));
}

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
  std::optional<size_t> made = producerOf(graph, present);
  if (made && appends(graph.nodes[*made], input, present)) {
    separatePast(graph, *made);
    made = producerOf(graph, present);
  }
  if (made && isConcatOf(graph.nodes[*made], input)) {
    CacheMaker(graph, input, output, axis).join(*made);
    return "";
  }
  std::optional<size_t> room = made ? roomFor(graph, graph.nodes[*made], input) : std::nullopt;
  if (!room)
    return "the output is longer than the input, and it is not made by Concat of the input and new "
           "rows, nor by an attention that the input is the past of";
  CacheMaker(graph, input, output, axis).write(*made, *room);
  return "";
}

} // namespace kgen
