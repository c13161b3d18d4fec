// Types with parameters in them, as terms: `tensor<MxKxT>`.
#pragma once

#include "expressions/Lexer.h"

#include <functional>
#include <memory>

namespace kgen::expressions {

struct TypeTerm {
  llvm::StringRef full;              ///< all of it
  llvm::StringRef base;              ///< "tensor", or the whole type if it has no element
  std::vector<llvm::StringRef> dims; ///< numbers, `?`, `*`, names, `$(...)`, `[4]`
  std::shared_ptr<TypeTerm> element; ///< of a shaped type
  llvm::StringRef tail;              ///< what follows the element: a layout, a memory space
};

/// Returns true if a word is a size or a shape.
using IsSize = std::function<bool(llvm::StringRef)>;

/// The type that `lexer` begins with.
std::optional<TypeTerm> parseTypeTerm(Lexer &lexer, const IsSize &isSize, ExpressionError &error);

/// True if `tensor`, `memref` or `vector`, just read, is followed by sizes.
bool beginsSizes(Token token, const Lexer &behind);
/// One `SIZE x` of a shaped type; nothing if the element begins here.
std::optional<llvm::StringRef> parseSizeOfType(Lexer &lexer, const IsSize &isSize);

} // namespace kgen::expressions
