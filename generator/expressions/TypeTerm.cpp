#include "expressions/TypeTerm.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen::expressions {

using llvm::StringRef;

/// Types in types that an argument may have.
constexpr unsigned maxTypeDepth = 16;

bool beginsSizes(Token token, const Lexer &behind) {
  return (token.is("tensor") || token.is("memref") || token.is("vector")) &&
         behind.rest.starts_with("<");
}

std::optional<StringRef> parseSizeOfType(Lexer &lexer, const IsSize &isSize) {
  // No name is longer: a word that is one size after the other is not read again for each of them.
  Token token = Lexer{lexer.rest.take_front(maxNameLength + 1)}.peek();
  Lexer ahead = lexer;
  StringRef rest = between(token.text.begin(), lexer.rest.end());
  auto cross = [&](size_t length) { return rest.substr(length).ltrim().starts_with("x"); };
  size_t length = token.is("*") || token.is("?") ? 1 : 0;
  if (token.kind == Token::Kind::number) {
    length = rest.find_if_not([](char c) { return llvm::isDigit(c); });
  } else if (token.is("[") || token.is("$(")) {
    if (ahead.brackets())
      length = ahead.rest.begin() - rest.begin();
  } else if (token.kind == Token::Kind::word) {
    // The longest beginning that is a size: `MxKxT` is one word.
    for (length = token.text.size(); length; --length)
      if (isSize && cross(length) && isSize(rest.take_front(length)))
        break;
  }
  if (!length || length == StringRef::npos || !cross(length))
    return std::nullopt;
  lexer.rest = rest.substr(length).ltrim().drop_front();
  return rest.take_front(length);
}

static std::optional<TypeTerm> parseAtDepth(Lexer &lexer, const IsSize &isSize,
                                            ExpressionError &error, unsigned depth) {
  Token token = lexer.next();
  TypeTerm term;
  term.base = token.text;
  bool valid = (token.kind == Token::Kind::word || token.hasSigil('!')) && depth < maxTypeDepth;
  if (valid && beginsSizes(token, lexer)) {
    lexer.next();
    while (std::optional<StringRef> dim = parseSizeOfType(lexer, isSize))
      term.dims.push_back(*dim);
    std::optional<TypeTerm> element = parseAtDepth(lexer, isSize, error, depth + 1);
    if (!element)
      return std::nullopt;
    std::optional<StringRef> tail = lexer.angles();
    valid = tail.has_value();
    if (tail)
      term.tail = tail->trim();
    term.element = std::make_shared<TypeTerm>(std::move(*element));
  } else if (valid && lexer.rest.starts_with("<")) {
    lexer.next();
    valid = lexer.angles().has_value();
    term.base = between(token.text.begin(), lexer.rest.begin());
  }
  term.full = between(token.text.begin(), lexer.rest.begin()).rtrim();
  if (valid)
    return term;
  if (error.message.empty())
    error = {token.text.data(), "expected a type, found " + quoted(token)};
  return std::nullopt;
}

std::optional<TypeTerm> parseTypeTerm(Lexer &lexer, const IsSize &isSize, ExpressionError &error) {
  return parseAtDepth(lexer, isSize, error, 0);
}

} // namespace kgen::expressions
