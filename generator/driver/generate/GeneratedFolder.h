// A folder that `kgen generate` wrote, read back by its manifest.
#pragma once

#include "emit/Library.h"
#include "support/Diagnostics.h"
#include "support/Json.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <set>

namespace kgen {

/// "<library>.manifest.json".
std::string manifestName(const std::string &library);

/// The manifest's text as JSON; an empty object if it is none.
SortedJson parseManifest(const std::string &text);
/// The bytes of a file; empty if it cannot be read.
std::string fileContents(const std::string &path);

/// The files that a manifest lists.
struct ListedFiles {
  std::set<std::string> paths;
  FileSet files;                                           ///< those that are there
  std::vector<std::pair<std::string, std::string>> faults; ///< path, and what is wrong with it
};
/// Reads them and compares them with the manifest's checksums.
ListedFiles readListedFiles(const std::string &directory, const SortedJson &manifest);

struct GeneratedFolder {
  LibraryInterface library;
  FileSet files;
};
/// The library in a folder: its functions' types and its objects. Everything that is wrong is
/// reported: no manifest or several, and files that are not as the manifest says. Of several
/// architectures, that of `triple`, which a note says.
std::optional<GeneratedFolder>
readGeneratedFolder(const std::string &directory, llvm::StringRef triple, Diagnostics &diagnostics);

} // namespace kgen
