// Files with templates, as MLIR's parser reads them.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace kgen::templates {

/// True if a file has templates in it.
bool hasTemplates(llvm::StringRef file);

/// The file with each `template.func` TEXT as `template.func "TEXT"`, with the file's aliases that
/// the text uses: `template.func aliases "#map = ..." "TEXT"`. Lines keep their numbers. A file
/// that was printed has them in the text: `aliases {#map = ...}` in front of the parameters.
std::string quoteTemplates(llvm::StringRef file);

/// Returns what follows each `template.func` of a file.
std::vector<llvm::StringRef> templateTexts(llvm::StringRef file);

} // namespace kgen::templates
