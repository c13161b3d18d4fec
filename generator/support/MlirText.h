// Text that upstream's parser of MLIR does not survive.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>

namespace kgen {

struct MlirTextProblem {
  size_t at = 0; ///< letters in front of it
  std::string message;
};

/// Brackets that are nested too deeply for a parser that recurses, a byte 0, a whole number of more
/// than 64 bits. Nothing if there is none of them.
std::optional<MlirTextProblem> problemOfMlirText(llvm::StringRef text);

/// Digits of a whole number that are too many for 64 bits.
constexpr size_t tooManyDigits = 20;

} // namespace kgen
