#include "driver/load/LengthState.h"

#include "ops/Registry.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

std::string freshName(const Graph &graph, std::string name) {
  auto isTaken = [&](const GraphValue &value) { return value.name == name; };
  while (llvm::any_of(graph.values, isTaken))
    name += "_";
  return name;
}

/// An integer of 64 bits.
ValueId addInteger(Graph &graph, const std::string &name, ValueKind kind) {
  GraphValue value;
  value.name = freshName(graph, name);
  value.type = {ElementType::i64, {}};
  value.kind = kind;
  graph.values.push_back(std::move(value));
  return static_cast<ValueId>(graph.values.size() - 1);
}

/// `length`, and after a call what the call adds more.
void holdSize(const DimSymbol &symbol, const Dim &added, Graph &graph) {
  const ValueId length = addInteger(graph, "length", ValueKind::input),
                more = addInteger(graph, "length_added", ValueKind::sizes),
                next = addInteger(graph, "length_next", ValueKind::result);
  graph.values[more].sizes = {added};
  Node sum;
  sum.name = graph.values[next].name;
  sum.op = builtInOperators().find("Add");
  sum.inputs = {length, more};
  sum.outputs = {next};
  graph.nodes.push_back(std::move(sum));
  const std::string &name = graph.values[length].name;
  graph.states.push_back({name, graph.inputs.size(), graph.outputs.size()});
  graph.inputs.push_back(length);
  graph.outputs.push_back(next);
  for (std::shared_ptr<const DimSymbol> &dim : graph.dims)
    if (dim->name == symbol.name) {
      DimSymbol held = *dim;
      held.state = name;
      held.min = 0; // a cache begins empty
      dim = std::make_shared<const DimSymbol>(held);
    }
}

/// The symbol that the size is; null for others.
std::shared_ptr<const DimSymbol> symbolOf(const Dim &size) {
  const auto symbols = size.symbols();
  for (const auto &[name, symbol] : symbols)
    if (size == Dim(symbol))
      return symbol;
  return nullptr;
}

} // namespace

void holdLengths(const std::vector<CacheGrowth> &caches, Graph &graph) {
  for (const CacheGrowth &cache : caches) {
    auto counts = [&](const CacheGrowth &other) { return other.filled == cache.filled; };
    const bool isFirst = &*llvm::find_if(caches, counts) == &cache;
    const bool addsTheSame = llvm::all_of(caches, [&](const CacheGrowth &other) {
      return !counts(other) || other.added == cache.added;
    });
    if (std::shared_ptr<const DimSymbol> symbol = symbolOf(cache.filled);
        symbol && isFirst && addsTheSame)
      holdSize(*symbol, cache.added, graph);
  }
}

} // namespace kgen
