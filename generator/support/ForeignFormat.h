// Recognizes files of other programs by their first bytes, for errors that say what they are.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace kgen {

/// Returns what a file that begins like this is, and how kgen gets to read it, as one sentence of a
/// hint; "" for a format that is not known here.
std::string foreignFormatHint(llvm::StringRef bytes);

} // namespace kgen
