#include "driver/load/AttentionPast.h"

#include "driver/load/NodeMaker.h"
#include "ops/sequence/AttentionShapes.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

using namespace attention;

class PastSeparator {
public:
  PastSeparator(Graph &graph, size_t place)
      : graph(graph), place(place), old(graph.nodes[place]),
        maker(graph, graph.values[old.firstOutput()].name, old.where) {}

  void run() {
    Node whole = old;
    whole.inputs[queries] = splitIntoHeads(queries, "q_num_heads", "_queries");
    whole.inputs[keys] = joined(keys, pastKeys, presentKeys, "_keys");
    whole.inputs[values] = joined(values, pastValues, presentValues, "_values");
    whole.inputs.resize(pastKeys, noValue);
    addCount(whole);
    while (whole.inputs.back() == noValue)
      whole.inputs.pop_back();
    for (size_t i : {presentKeys, presentValues})
      if (i < whole.outputs.size())
        whole.outputs[i] = noValue;
    while (whole.outputs.size() > 1 && whole.outputs.back() == noValue)
      whole.outputs.pop_back();
    whole.attributes.erase("q_num_heads");
    whole.attributes.erase("kv_num_heads");
    const size_t at = made.size();
    made.push_back(whole);
    if (typeOf(old.inputs[queries]).shape.size() == 3)
      joinHeads(made[at]);
    graph.nodes.erase(graph.nodes.begin() + std::ptrdiff_t(place));
    graph.nodes.insert(graph.nodes.begin() + std::ptrdiff_t(place), made.begin(), made.end());
  }

private:
  const TensorType &typeOf(ValueId id) const { return graph.values[id].type; }

  ValueId add(const std::string &op, std::vector<ValueId> inputs, const std::string &ending,
              const TensorType &type, const NodeMaker::Attributes &attributes) {
    const ValueId result = maker.result(ending, type);
    made.push_back(maker.node(op, std::move(inputs), {result}, attributes));
    return result;
  }

  /// Returns an operand as [batch, heads, length, width].
  ValueId splitIntoHeads(size_t input, const char *count, const std::string &ending) {
    const ValueId rows = old.inputs[input];
    const TensorType type = typeOf(rows);
    if (type.shape.size() == 4)
      return rows;
    const Heads heads(type, std::get<int64_t>(old.attributes.at(count)));
    const ValueId shape = maker.sizes(ending + "_shape", {0, 0, heads.count, heads.width});
    const ValueId split = add(
        "Reshape", {rows, shape}, ending + "_split",
        {type.element, std::vector<Dim>{heads.batch, heads.length, heads.count, heads.width}}, {});
    return add(
        "Transpose", {split}, ending,
        {type.element, std::vector<Dim>{heads.batch, heads.count, heads.length, heads.width}},
        {{"perm", exchanged}});
  }

  /// Returns the past and the new rows.
  ValueId joined(size_t input, size_t past, size_t present, const std::string &ending) {
    const ValueId rows = splitIntoHeads(input, "kv_num_heads", "_new" + ending);
    TensorType type = typeOf(old.inputs[past]);
    type.shape.setDim(lengthAxis, type.shape.dim(lengthAxis) + typeOf(rows).shape.dim(lengthAxis));
    const bool isRead = present < old.outputs.size() && old.outputs[present] != noValue;
    const ValueId all = isRead ? old.outputs[present] : maker.result(ending, type);
    made.push_back(
        maker.node("Concat", {old.inputs[past], rows}, {all}, {{"axis", int64_t(lengthAxis)}}));
    return all;
  }

  /// The number of all keys says which ones are the queries' own, where that matters.
  void addCount(Node &whole) {
    const bool isPlaced = llvm::any_of(
        std::array{std::pair("is_causal", 0), std::pair(leftWindow, -1),
                   std::pair(rightWindow, -1)},
        [&](const auto &attribute) {
          return std::get<int64_t>(whole.attributes.at(attribute.first)) != attribute.second;
        });
    if (isPlaced)
      whole.inputs.insert(
          whole.inputs.end(),
          {noValue, noValue,
           maker.sizes("_count", {typeOf(whole.inputs[keys]).shape.dim(lengthAxis)})});
  }

  /// Gives the result the form of the old one, [batch, length, heads * width].
  void joinHeads(Node &whole) {
    const ValueId last = old.outputs.front();
    const TensorType q = typeOf(whole.inputs[queries]), v = typeOf(whole.inputs[values]);
    const Heads heads(q, 0);
    const int64_t width = v.shape[3];
    const ValueId mixed = maker.result(
        "_heads",
        {q.element, std::vector<Dim>{heads.batch, heads.count, heads.length, Dim(width)}});
    whole.outputs.front() = mixed;
    const ValueId rows =
        add("Transpose", {mixed}, "_rows",
            {q.element, std::vector<Dim>{heads.batch, heads.length, heads.count, Dim(width)}},
            {{"perm", exchanged}});
    const ValueId shape = maker.sizes("_shape", {0, 0, heads.count * width});
    made.push_back(maker.node("Reshape", {rows, shape}, {last}));
  }

  static constexpr size_t lengthAxis = 2;
  inline static const std::vector<int64_t> exchanged{0, 2, 1, 3};

  Graph &graph;
  size_t place;
  Node old;
  NodeMaker maker;
  std::vector<Node> made;
};

} // namespace

void separatePast(Graph &graph, size_t attention) { PastSeparator(graph, attention).run(); }

} // namespace kgen
