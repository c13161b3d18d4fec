// Sizes as an option says them: "7", "1..64", "..2048/16".
#pragma once

#include "support/Dim.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <utility>

namespace kgen {

/// Returns which of "min" and "max" is wrong, and what is expected of it; two empty texts if
/// neither is.
std::pair<std::string, std::string> boundsProblem(const DimSymbol &bounds);

/// The size of dimension `name`: a number, or MIN..MAX/MULTIPLE, of which MIN (by default MULTIPLE)
/// and MULTIPLE (by default 1) may be left out. The symbol of bounds has the name as C has it.
/// Nothing if the text is neither, or for the reason that `problem` gets.
std::optional<Dim> parseDimText(llvm::StringRef name, llvm::StringRef text, std::string &problem);

} // namespace kgen
