#include "expressions/Lexer.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace kgen::expressions {

using llvm::StringRef;

namespace {

bool isInWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; }

char charAt(StringRef text, size_t i) { return i < text.size() ? text[i] : '\0'; }

size_t wordLength(StringRef text) {
  size_t n = 1;
  while (true) {
    bool scope =
        charAt(text, n) == ':' && charAt(text, n + 1) == ':' && llvm::isAlpha(charAt(text, n + 2));
    if (!scope && !isInWord(charAt(text, n)))
      return n;
    n += scope ? 2 : 1;
  }
}

size_t numberLength(StringRef text) {
  auto digit = [&](size_t i) { return llvm::isDigit(charAt(text, i)); };
  size_t n = 1;
  while (digit(n))
    ++n;
  if (charAt(text, n) == '.' && digit(n + 1))
    for (++n; digit(n);)
      ++n;
  char sign = charAt(text, n + 1);
  if (llvm::toLower(charAt(text, n)) == 'e' &&
      (digit(n + 1) || ((sign == '-' || sign == '+') && digit(n + 2))))
    for (n += 2; digit(n);)
      ++n;
  return n;
}

/// A string ends at its quote, or at the end of its line.
size_t stringLength(StringRef text) {
  size_t n = 1;
  while (n < text.size() && text[n] != '"' && text[n] != '\n')
    n += text[n] == '\\' ? 2 : 1;
  return std::min(n + 1, text.size());
}

StringRef skipBlanks(StringRef text) {
  for (text = text.ltrim(); text.starts_with("//");)
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text;
}

} // namespace

const char *findWord(StringRef text, StringRef word) {
  if (!text.contains(word))
    return nullptr;
  Lexer lexer{text};
  while (Token token = lexer.next())
    if (token.is(word))
      return token.text.begin();
  return nullptr;
}

StringRef between(const char *begin, const char *end) { return StringRef(begin, end - begin); }

std::string quoted(Token token) {
  return token ? "'" + token.text.take_front(40).str() + "'" : "the end of the text";
}

bool isParameterName(StringRef word) {
  return !word.empty() && word.size() <= maxNameLength && llvm::isUpper(word.front()) &&
         llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Token Lexer::next() {
  rest = skipBlanks(rest);
  if (rest.empty())
    return {Token::Kind::end, rest};
  static constexpr StringRef pairs[] = {"->", "==", "!=", "<=", ">=", "&&", "||", "$("};
  Token::Kind kind = Token::Kind::punctuation;
  size_t length = 1;
  char c = rest.front();
  if (llvm::isAlpha(c) || c == '_') {
    kind = Token::Kind::word;
    length = wordLength(rest);
  } else if (llvm::isDigit(c)) {
    kind = Token::Kind::number;
    length = numberLength(rest);
  } else if (c == '"') {
    kind = Token::Kind::string;
    length = stringLength(rest);
  } else if (StringRef("%@#!^").contains(c) && isInWord(charAt(rest, 1))) {
    kind = Token::Kind::sigil;
    length = wordLength(rest.drop_front()) + 1;
  } else if (c == '@' && charAt(rest, 1) == '"') {
    kind = Token::Kind::sigil;
    length = stringLength(rest.drop_front()) + 1;
  } else if (llvm::is_contained(pairs, rest.take_front(2))) {
    length = 2;
  }
  Token token{kind, rest.take_front(length)};
  rest = rest.drop_front(token.text.size());
  return token;
}

bool Lexer::eat(StringRef wanted) {
  Lexer ahead = *this;
  if (!ahead.next().is(wanted))
    return false;
  *this = ahead;
  return true;
}

/// 1 for a bracket that opens, -1 for one that closes.
static int depthChange(Token token) {
  if (token.kind != Token::Kind::punctuation)
    return 0;
  if (token.is("(") || token.is("[") || token.is("{") || token.is("$("))
    return 1;
  return token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
}

std::optional<StringRef> Lexer::brackets() {
  const char *begin = peek().text.end();
  int depth = 0;
  Token token;
  do {
    token = next();
    if (!token)
      return std::nullopt;
    depth += depthChange(token);
  } while (depth > 0);
  return between(begin, token.text.begin());
}

std::optional<StringRef> Lexer::angles() {
  const char *begin = rest.begin();
  int depth = 1, inner = 0;
  while (Token token = next()) {
    inner += depthChange(token);
    if (inner < 0)
      return std::nullopt;
    if (token.is("<"))
      ++depth;
    if (token.is(">=") && depth == 1) // `N : index_of<1, 8>= 8`
      rest = between(token.text.begin() + 1, rest.end());
    if ((token.is(">") || token.is(">=")) && --depth == 0)
      return between(begin, token.text.begin());
  }
  return std::nullopt;
}

StringRef Lexer::until(llvm::function_ref<bool(Token)> stop) {
  const char *begin = rest.begin();
  int depth = 0;
  for (Token token = peek(); token; token = peek()) {
    if (depth == 0 && stop(token))
      break;
    depth += depthChange(token);
    next();
  }
  return between(begin, rest.begin());
}

} // namespace kgen::expressions
