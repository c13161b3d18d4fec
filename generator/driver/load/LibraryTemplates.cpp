#include "driver/load/LibraryTemplates.h"

#include "graph/Operator.h"
#include "support/Components.h"
#include "support/InputFile.h"
#include "templates/Templates.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace kgen {

std::shared_ptr<const OperatorTable> readOwnTemplates(const GraphSpec &graph,
                                                      const LibrarySpec &spec,
                                                      LoadedLibrary &library,
                                                      Diagnostics &diagnostics) {
  std::string path = resolvePath(graph.model->path.value, graph.model->path.where.file);
  auto file = readInputFile(path, maxTextBytes);
  std::shared_ptr<const TemplateSources> sources = library.templates;
  if (!file)
    llvm::consumeError(file.takeError()); // importMlir reports it
  else if (templatesComponent().isThere && hasTemplates((*file)->getBuffer())) {
    std::vector<Located<std::string>> paths = spec.templates;
    paths.push_back({path, graph.model->path.where});
    Diagnostics again; // those of the library's files are known
    sources = readTemplates(paths, again);
    for (const Diagnostic &one : again.errors())
      if (one.where.file == path)
        diagnostics.error(one.where, one.message, one.hint);
  }
  if (!sources)
    return nullptr;
  LoadedLibrary::OwnTemplates &own = library.ownTemplates[graph.name.value];
  own = {sources, callableTemplates(sources)};
  return own.operators;
}

const TemplateSources *templatesOf(const LoadedLibrary &library, const std::string &graph) {
  auto own = library.ownTemplates.find(graph);
  return own == library.ownTemplates.end() ? library.templates.get() : own->second.files.get();
}

std::vector<std::string> templateFiles(const LoadedLibrary &library) {
  std::vector<std::string> paths;
  for (const Located<std::string> &path : library.spec.templates)
    paths.push_back(path.value);
  for (const auto &[graph, own] : library.ownTemplates)
    for (const std::string &path : pathsOf(*own.files))
      if (!llvm::is_contained(paths, path))
        paths.push_back(path);
  return paths;
}

} // namespace kgen
