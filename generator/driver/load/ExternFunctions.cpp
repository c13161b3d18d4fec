#include "driver/load/ExternFunctions.h"

#include "backend/Architecture.h"
#include "driver/generate/Generate.h"
#include "driver/load/LinkedFiles.h"
#include "driver/run/LoadedCode.h"

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

/// At the first call of each function.
void reportMissing(const std::vector<Graph> &graphs, const LinkedFiles *files,
                   Diagnostics &diagnostics) {
  std::set<std::string> reported;
  forEachCall(graphs, [&](const Graph &, const Node &node) {
    const Located<std::string> &symbol = node.external->symbol;
    if ((files && files->defines(symbol.value)) || !reported.insert(symbol.value).second)
      return;
    std::string what = files ? "no file of --link defines the extern function '"
                             : "the code cannot run without the extern function '";
    diagnostics.error(symbol.where, what + symbol.value + "'",
                      "say which file defines it with --link FILE (.c, .o or .so)");
  });
}

/// Links the files by themselves: what they need from elsewhere may be missing.
void tryLinking(const LinkedFiles &files, const std::vector<std::string> &symbols,
                Diagnostics &diagnostics) {
  llvm::Expected<LoadedCode> code = LoadedCode::load({}, {}, &files);
  llvm::Error error = code ? llvm::Error::success() : code.takeError();
  for (const std::string &symbol : symbols)
    if (!error && files.defines(symbol))
      error = code->address(symbol).takeError();
  if (error)
    diagnostics.error({"--link", 0, 0},
                      "the files cannot be linked: " + llvm::toString(std::move(error)),
                      "give a shared library instead (cc -shared -fPIC), with all that it needs");
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

LibraryInterface uncompiledInterface(const LoadedLibrary &library) {
  LibraryInterface result;
  result.name = library.spec.library.value;
  result.specHash = specHash(library);
  result.externs = externsOf(library.graphs);
  for (const Graph &graph : library.graphs) {
    result.graphs.push_back(interfaceOf(graph, library));
    for (const TargetSpec &target : library.targets)
      result.graphs.back().workspaceBytes[target.name.value] = 0;
  }
  for (const TargetSpec &target : library.targets)
    result.variants.push_back({target.name.value, target.rank, target.featureNames(), {}, {}, {}});
  return result;
}

void linkExterns(LoadedLibrary &library, const std::vector<std::string> &paths,
                 Diagnostics &diagnostics) {
  std::vector<std::string> symbols;
  for (const ExternInterface &function : externsOf(library.graphs))
    symbols.push_back(function.symbol);
  if (!paths.empty()) {
    std::map<std::string, FileContents> headers;
    headers[library.spec.library.value + ".h"] = emitHeader(uncompiledInterface(library));
    library.linked = LinkedFiles::open(paths, headers, symbols, diagnostics);
    if (!library.linked)
      return;
  }
  reportMissing(library.graphs, library.linked.get(), diagnostics);
  if (library.linked)
    tryLinking(*library.linked, symbols, diagnostics);
}

} // namespace kgen
