#include "support/MlirText.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace kgen {

using llvm::StringRef;

/// Regions, types and attributes within each other; MLIR's parser and verifier recurse.
constexpr int maxNesting = 200;

/// Returns where brackets are nested more deeply than that; null if they are not.
static const char *tooDeep(StringRef text) {
  int depth = 0;
  for (const char *at = text.begin(), *end = text.end(); at != end; ++at) {
    if (*at == '"') {
      for (++at; at != end && *at != '"'; ++at)
        if (*at == '\\' && at + 1 != end)
          ++at;
      if (at == end)
        return nullptr;
    } else if (*at == '/' && at + 1 != end && at[1] == '/') {
      while (at + 1 != end && at[1] != '\n')
        ++at;
    } else if (*at == '-' && at + 1 != end && at[1] == '>') {
      ++at;
    } else if (StringRef("([{<").contains(*at)) {
      if (++depth > maxNesting)
        return at;
    } else if (StringRef(")]}>").contains(*at)) {
      depth = std::max(depth - 1, 0);
    }
  }
  return nullptr;
}

/// A whole number of more digits than 64 bits have; upstream's parser crashes on some of them. Null
/// if there is none. Real numbers have a point.
static const char *tooLong(StringRef text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = text.find('"', at + 1);
      if (at == StringRef::npos)
        return nullptr;
      continue;
    }
    bool isBegin =
        at == 0 || (!llvm::isAlnum(text[at - 1]) && !StringRef("_.$%#@!^").contains(text[at - 1]));
    if (!llvm::isDigit(text[at]) || !isBegin)
      continue;
    StringRef digits = text.substr(at).take_while(llvm::isDigit);
    bool isReal = text.substr(at + digits.size()).starts_with(".");
    if (digits.size() >= tooManyDigits && !isReal)
      return text.data() + at;
    at += digits.size() - 1;
  }
  return nullptr;
}

std::optional<MlirTextProblem> problemOfMlirText(StringRef text) {
  if (const char *deep = tooDeep(text))
    return MlirTextProblem{size_t(deep - text.data()), "more than " + std::to_string(maxNesting) +
                                                           " brackets are open within each other"};
  if (size_t zero = text.find('\0'); zero != StringRef::npos)
    return MlirTextProblem{zero, "expected MLIR's text, found a byte 0"};
  if (const char *number = tooLong(text))
    return MlirTextProblem{size_t(number - text.data()), "expected a number of 64 bits"};
  return std::nullopt;
}

} // namespace kgen
