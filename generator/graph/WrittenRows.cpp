#include "graph/WrittenRows.h"

#include "graph/ElementTerms.h"
#include "graph/Operator.h"

namespace kgen {
namespace {

constexpr int64_t mostRows = int64_t(1) << 40;

bool isAtLeast(const Dim &a, const Dim &b) { return (a - b).bounds().min >= 0; }

const GraphState *stateOf(const Graph &graph, const std::string &name) {
  for (const GraphState &state : graph.states)
    if (state.name == name)
      return &state;
  return nullptr;
}

/// Rows of a cache that have values where a graph reads it, from the first one on.
class WrittenRows {
public:
  WrittenRows(const Graph &graph, const std::string &cache, const std::string &count, size_t axis)
      : graph(graph), cache(stateOf(graph, cache)), count(stateOf(graph, count)), axis(axis),
        before(std::make_shared<DimSymbol>(DimSymbol{"<count>", 0, mostRows})) {
    for (const std::shared_ptr<const DimSymbol> &dim : graph.dims)
      if (dim->state == count)
        before = Dim(dim);
  }

  /// True if the graph reads no other rows, and if the next call finds as many as it expects.
  bool hold() {
    if (cache && cache->input)
      add(graph.inputs[*cache->input], before);
    for (const Node &node : graph.nodes)
      if (!read(node))
        return false;
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      if (written.count(graph.outputs[i]) && !(cache && cache->output == i))
        return false;
    return keepsCount();
  }

private:
  /// False if values that are not there may be computed with.
  bool read(const Node &node) {
    for (size_t i = 1; i < node.inputs.size(); ++i)
      if (node.inputs[i] != noValue && isPart(node.inputs[i]) && node.op->name != "Concat")
        return false;
    const bool isRead = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return input != noValue && isPart(input);
    });
    if (!isRead)
      return true;
    const std::string &op = node.op->name;
    std::optional<Dim> rows;
    if (op == "Identity" || op == "ScatterND" || op == "ScatterElements")
      rows = written.at(node.inputs[0]);
    else if (op == "TensorScatter")
      rows = afterScatter(node);
    else if (op == "Concat")
      rows = afterConcat(node);
    else if (op == "Slice")
      rows = afterSlice(node);
    if (!rows)
      return false;
    if (*rows != rowsOf(node.outputs[0]))
      add(node.outputs[0], *rows);
    return true;
  }

  /// None, if the value can have fewer.
  void add(ValueId value, const Dim &rows) {
    written[value] = isAtLeast(rowsOf(value), rows) ? rows : Dim(0);
  }

  /// New rows without a gap after those that are there are there, too.
  Dim afterScatter(const Node &node) const {
    enum Operand : size_t { into, update, positions };
    const Dim rows = written.at(node.inputs[into]), added = rowsOf(node.inputs[update]);
    auto attribute = node.attributes.find("axis");
    const int64_t given = std::get<int64_t>(attribute->second),
                  rank = int64_t(graph.values[node.inputs[into]].type.shape.size());
    if (node.inputs.size() <= positions || node.inputs[positions] == noValue ||
        size_t(given < 0 ? given + rank : given) != axis)
      return rows;
    ElementTerms terms(graph);
    std::vector<ElementLoop> loops;
    const ValueId first = node.inputs[positions];
    std::optional<Dim> place =
        sizeOf(terms.elementAt(first, terms.everyElement(graph.values[first].type.shape, loops)));
    const bool isNext = place && isAtLeast(rows, *place) && isAtLeast(*place + added, rows);
    return isNext && isAtLeast(*place, 0) ? *place + added : rows;
  }

  /// The parts before the first one that is not there as a whole, and what is there of this one.
  std::optional<Dim> afterConcat(const Node &node) const {
    const int64_t given = std::get<int64_t>(node.attributes.at("axis")),
                  rank = int64_t(graph.values[node.outputs[0]].type.shape.size());
    if (size_t(given < 0 ? given + rank : given) != axis)
      return std::nullopt;
    Dim rows = 0;
    for (ValueId input : node.inputs) {
      if (auto part = written.find(input); part != written.end())
        return rows + part->second;
      rows = rows + rowsOf(input);
    }
    return rows;
  }

  /// Those that are there after the first row of the slice.
  std::optional<Dim> afterSlice(const Node &node) const {
    ElementTerms terms(graph);
    std::optional<SliceStep> slice = terms.sliceAlong(node, axis);
    if (!slice || slice->step != 1)
      return std::nullopt;
    const Dim rows = written.at(node.inputs[0]) - slice->start, taken = rowsOf(node.outputs[0]);
    if (isAtLeast(rows, taken))
      return taken;
    return isAtLeast(rows, 0) ? rows : Dim(0);
  }

  /// The state's count after the call is not greater than the rows that are there then.
  bool keepsCount() const {
    Dim after = before;
    if (count && count->output) {
      ElementTerms terms(graph);
      const ValueId next = graph.outputs[*count->output];
      std::optional<Dim> size = sizeOf(
          terms.elementAt(next, Subscripts(graph.values[next].type.shape.size(), sizeTerm(0))));
      if (!size || !isAtLeast(*size, 0))
        return false;
      after = *size;
    }
    if (!cache || !cache->output) // rows are as they were
      return isAtLeast(before, after);
    auto rows = written.find(graph.outputs[*cache->output]);
    return rows == written.end() || isAtLeast(rows->second, after);
  }

  /// A term as a size, if it is one: the count is the size that it holds.
  std::optional<Dim> sizeOf(const ElementTermPtr &term) const {
    using Kind = ElementTerm::Kind;
    if (!term)
      return std::nullopt;
    if (term->kind == Kind::size)
      return term->size;
    if (term->kind == Kind::element && !term->isNarrow && count && count->input == term->number)
      return before;
    if (term->kind != Kind::sum && term->kind != Kind::difference)
      return std::nullopt;
    std::optional<Dim> left = sizeOf(term->operands[0]), right = sizeOf(term->operands[1]);
    if (!left || !right)
      return std::nullopt;
    return term->kind == Kind::sum ? *left + *right : *left - *right;
  }

  bool isPart(ValueId value) const { return written.count(value) != 0; }
  Dim rowsOf(ValueId value) const { return graph.values[value].type.shape.dim(axis); }

  const Graph &graph;
  const GraphState *cache, *count;
  size_t axis;
  Dim before;                     ///< the count when a call begins
  std::map<ValueId, Dim> written; ///< of values that may have other rows; those of others are there
};

bool isWrittenFirst(const std::vector<Graph> &graphs, const std::string &cache, size_t axis,
                    const std::string &count) {
  return std::all_of(graphs.begin(), graphs.end(), [&](const Graph &graph) {
    return WrittenRows(graph, cache, count, axis).hold();
  });
}

} // namespace

std::set<std::string> statesWrittenFirst(const std::vector<Graph> &graphs,
                                         const std::set<std::string> &counts) {
  std::map<std::string, size_t> ranks;
  for (const Graph &graph : graphs)
    for (const GraphState &state : graph.states)
      if (state.input)
        ranks[state.name] = graph.values[graph.inputs[*state.input]].type.shape.size();
  std::set<std::string> found;
  for (const auto &[name, rank] : ranks)
    for (size_t axis = 0; axis < rank; ++axis)
      for (const std::string &count : counts)
        if (name != count && isWrittenFirst(graphs, name, axis, count))
          found.insert(name);
  return found;
}

} // namespace kgen
