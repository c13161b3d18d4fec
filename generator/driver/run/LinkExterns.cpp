#include "driver/run/LinkExterns.h"

#include "driver/load/ExternFunctions.h"
#include "driver/load/LibraryInterface.h"
#include "driver/run/LinkedFiles.h"
#include "driver/run/LoadedCode.h"

#include <set>

namespace kgen {
namespace {

/// At the first call of each function.
void reportMissing(const std::vector<Graph> &graphs, const LinkedFiles *files,
                   Diagnostics &diagnostics) {
  std::set<std::string> reported;
  for (const Graph &graph : graphs)
    for (const Node &node : graph.nodes) {
      if (!node.external)
        continue;
      const Located<std::string> &symbol = node.external->symbol;
      if ((files && files->defines(symbol.value)) || !reported.insert(symbol.value).second)
        continue;
      std::string what = files ? "no file of --link defines the extern function '"
                               : "the code cannot run without the extern function '";
      diagnostics.error(symbol.where, what + symbol.value + "'",
                        "say which file defines it with --link FILE (.c, .o or .so)");
    }
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

void checkExternsAreLinked(const LoadedLibrary &library, const std::vector<std::string> &paths,
                           Diagnostics &diagnostics) {
  if (paths.empty())
    reportMissing(library.graphs, nullptr, diagnostics);
}

} // namespace kgen
