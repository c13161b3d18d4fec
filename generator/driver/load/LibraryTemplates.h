// The templates of a library: those of `templates`, and those in the MLIR files of its graphs.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// Returns what the functions of the graph's MLIR file may call: templates of the file, which
/// become the library's `ownTemplates`, and of `library.templates`. Null: none.
std::shared_ptr<const OperatorTable> readOwnTemplates(const GraphSpec &graph,
                                                      const LibrarySpec &spec,
                                                      LoadedLibrary &library,
                                                      Diagnostics &diagnostics);

/// The templates of a graph; null: none.
const TemplateSources *templatesOf(const LoadedLibrary &library, const std::string &graph);

/// The files, each once.
std::vector<std::string> templateFiles(const LoadedLibrary &library);

} // namespace kgen
