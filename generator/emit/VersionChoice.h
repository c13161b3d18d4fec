// The code of a graph that has versions for some sizes: the function that chooses among them.
#pragma once

#include "emit/Names.h"

namespace kgen {

/// "int" of code that extern functions may fail in, else "void".
const char *returnType(const GraphInterface &graph);

/// Returns the name of the function that runs a graph: its code, or the function that chooses among
/// versions.
std::string codeName(const LibraryInterface &library, const GraphInterface &graph,
                     const std::string &target);

/// The function that compares sizes with those of versions; nothing for a graph without any.
std::string versionChoice(const LibraryInterface &library, const GraphInterface &graph,
                          const std::string &target);

} // namespace kgen
