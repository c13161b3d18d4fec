#include "driver/compile/WeightStorage.h"

#include "driver/compile/Decision.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

using namespace mlir;

namespace kgen {
namespace {

class WeightTable {
public:
  explicit WeightTable(const Graph &graph) : graph(graph) {
    for (const Node &node : graph.nodes)
      for (ValueId id : node.inputs)
        if (id != noValue && graph.values[id].kind == ValueKind::weight) {
          inputsOf[node.name].push_back(&graph.values[id]);
          std::vector<std::string> &readers = readersOf[&graph.values[id]];
          if (readers.empty() || readers.back() != node.name)
            readers.push_back(node.name);
        }
    for (const GraphValue &value : graph.values)
      if (value.kind == ValueKind::weight)
        weights.insert(value.name);
  }

  std::vector<ExplainedWeight> build(ArrayRef<DictionaryAttr> decisions) {
    for (DictionaryAttr attribute : decisions) {
      Decision decision(attribute);
      if (decision.kind() == "weight")
        add(decision, WeightStorage::shared);
      else if (decision.kind() == "constant")
        add(decision, WeightStorage::object);
    }
    for (auto &[symbol, nodes] : computed)
      nameByNodes(symbol, nodes);
    for (const GraphValue &value : graph.values)
      if (value.kind == ValueKind::weight && !stored.count(value.name))
        addFolded(value);
    return std::move(rows);
  }

private:
  /// A constant. Its location names the weights whose bytes it has, or the nodes that computed
  /// new ones of them. In the object there are tables of operators besides, which are left out.
  void add(const Decision &decision, WeightStorage storage) {
    std::string symbol = decision.string("symbol");
    std::vector<std::string> names, nodes;
    for (const std::string &name : decision.names())
      (weights.count(name) ? names : nodes).push_back(name);
    if (names.empty() && storage == WeightStorage::object)
      return;
    bool isPacked = decision.purpose() == "pack";
    if (isPacked && names.size() > 1) // the contraction's names come first, its operand's last
      names = {names.back()};
    auto [row, isNew] = rowOf.try_emplace(symbol, rows.size());
    if (isNew)
      rows.push_back({symbol, {}, decision.number("bytes"), isPacked, storage, {}});
    llvm::append_range(rows[row->second].names, names);
    stored.insert(names.begin(), names.end());
    if (names.empty())
      computed[symbol] = nodes;
  }

  /// A constant that `nodes` computed has the weights among their inputs that are nowhere else,
  /// but for scalars, which are more likely immediates.
  void nameByNodes(const std::string &symbol, const std::vector<std::string> &nodes) {
    ExplainedWeight &row = rows[rowOf.at(symbol)];
    row.transformed = true;
    for (const std::string &node : nodes)
      for (const GraphValue *value : inputsOf[node])
        if (value->type.elementCount() > 1 && stored.insert(value->name).second)
          row.names.push_back(value->name);
    if (!row.names.empty())
      return;
    // An operator that makes several constants of its weights: this one has parts of them, too.
    for (const std::string &node : nodes)
      for (const GraphValue *value : inputsOf[node])
        if (value->type.elementCount() > 1 && !llvm::is_contained(row.names, value->name))
          row.names.push_back(value->name);
  }

  /// A weight that became part of other constants or of instructions.
  void addFolded(const GraphValue &value) {
    ExplainedWeight row{"", {value.name}, 0, false, WeightStorage::none, {}};
    row.into = readersOf[&value];
    rows.push_back(std::move(row));
  }

  const Graph &graph;
  std::map<std::string, std::vector<const GraphValue *>> inputsOf;  ///< weights, by node
  std::map<const GraphValue *, std::vector<std::string>> readersOf; ///< of weights: nodes
  std::set<std::string> weights;                                    ///< of the graph, their names
  std::map<std::string, std::vector<std::string>> computed;         ///< by symbol: the nodes
  std::map<std::string, size_t> rowOf;                              ///< by symbol
  std::set<std::string> stored;
  std::vector<ExplainedWeight> rows;
};

} // namespace

std::vector<ExplainedWeight> explainWeights(const Graph &graph,
                                            ArrayRef<DictionaryAttr> decisions) {
  return WeightTable(graph).build(decisions);
}

} // namespace kgen
