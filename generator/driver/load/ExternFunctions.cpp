#include "driver/load/ExternFunctions.h"

#include "target/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>

#include <set>

namespace kgen {
namespace {

/// True if <stdlib.h>, which dispatchers include, or LLVM, which knows what they do, has a function
/// of that name.
bool isStandardFunction(const std::string &name) {
  static const llvm::StringSet<> others = {
      "abort",  "at_quick_exit", "atexit",  "bsearch", "div",      "getenv",   "ldiv",   "lldiv",
      "mblen",  "mbstowcs",      "mbtowc",  "putenv",  "qsort",    "rand",     "random", "realpath",
      "setenv", "srand",         "srandom", "system",  "unsetenv", "wcstombs", "wctomb"};
  static const llvm::TargetLibraryInfoImpl known(llvm::Triple(architectures().front()->triple()));
  llvm::LibFunc function;
  return others.contains(name) || known.getLibFunc(llvm::StringRef(name), function);
}

ExternInterface interfaceOfCall(const Graph &graph, const Node &node) {
  const ExternCall &call = *node.external;
  ExternInterface result{call.symbol.value, {}, {}, call.workspaceBytes};
  for (size_t i = 0; i < node.inputs.size(); ++i)
    result.inputs.push_back({call.inputNames[i], graph.values[node.inputs[i]].type});
  for (size_t i = 0; i < call.outputs.size(); ++i)
    result.outputs.push_back({call.outputNames[i], call.outputs[i]});
  return result;
}

/// "(f32[100, 4]) -> (i32[100]), workspace 4096"
std::string signatureText(const ExternInterface &function) {
  auto list = [](const std::vector<TensorInterface> &tensors) {
    std::string text;
    for (const TensorInterface &tensor : tensors)
      text += (text.empty() ? "" : ", ") + tensor.type.str();
    return "(" + text + ")";
  };
  return list(function.inputs) + " -> " + list(function.outputs) + ", workspace " +
         std::to_string(function.workspaceBytes);
}

/// Calls `use` for each node that calls an extern function.
template <typename Use> void forEachCall(const std::vector<Graph> &graphs, Use use) {
  for (const Graph &graph : graphs)
    for (const Node &node : graph.nodes)
      if (node.external)
        use(graph, node);
}

} // namespace

std::vector<ExternInterface> externsOf(const std::vector<Graph> &graphs) {
  std::vector<ExternInterface> functions;
  forEachCall(graphs, [&](const Graph &graph, const Node &node) {
    auto isSame = [&](const ExternInterface &other) {
      return other.symbol == node.external->symbol.value;
    };
    if (llvm::none_of(functions, isSame))
      functions.push_back(interfaceOfCall(graph, node));
  });
  return functions;
}

std::vector<std::string> externSymbolsOf(const Graph &graph) {
  std::vector<std::string> symbols;
  for (const Node &node : graph.nodes)
    if (node.external && !llvm::is_contained(symbols, node.external->symbol.value))
      symbols.push_back(node.external->symbol.value);
  return symbols;
}

void checkExterns(const std::vector<Graph> &graphs, Diagnostics &diagnostics) {
  std::map<std::string, std::pair<std::string, SourceLoc>> first; ///< signatures by symbol
  std::set<std::string> reported; ///< copies of modules have one place
  forEachCall(graphs, [&](const Graph &graph, const Node &node) {
    const Located<std::string> &symbol = node.external->symbol;
    std::string signature = signatureText(interfaceOfCall(graph, node));
    auto [known, isNew] = first.insert({symbol.value, {signature, symbol.where}});
    if (isNew && isStandardFunction(symbol.value))
      diagnostics.error(symbol.where, "'" + symbol.value +
                                          "' cannot be the name of an extern function: it is a "
                                          "function of the C library");
    if (known->second.first != signature && reported.insert(symbol.where.str() + signature).second)
      diagnostics.error(symbol.where,
                        "all calls of '" + symbol.value +
                            "' must have the same types and workspace: expected " +
                            known->second.first + ", found " + signature,
                        "the other call is at " + known->second.second.str());
  });
}

} // namespace kgen
