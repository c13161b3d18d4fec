#include "driver/load/LengthState.h"

#include "driver/load/NodeMaker.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// `length`, and after a call what the call adds more.
void holdSize(const DimSymbol &symbol, const Dim &added, Graph &graph) {
  const TensorType integer{ElementType::i64, {}};
  NodeMaker maker(graph, "length", SourceLoc());
  const ValueId length = maker.input("", integer), more = maker.size("_added", added),
                next = maker.result("_next", integer);
  graph.nodes.push_back(maker.node("Add", {length, more}, {next}));
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
