// A file of MLIR as text: what stands in it side by side, whether or not a parser takes it.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// The names of the functions that have a body, in order.
std::vector<std::string> functionsInText(llvm::StringRef file);

/// A file of which only some things are left.
struct CutText {
  std::string text;                ///< of the same length, with blanks in place of what was cut
  std::vector<std::string> others; ///< names of functions that were cut
};

/// The function, the functions and globals that it names, and so on, with the aliases and resources
/// of the file that these name. Nothing if there is no such function.
std::optional<CutText> cutFunction(llvm::StringRef file, llvm::StringRef function);

} // namespace kgen
